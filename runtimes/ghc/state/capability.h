/* SPDX-License-Identifier: MIT
 *
 * What the module keeps for each capability of the RTS. Only the OS thread that holds the capability changes it, except
 * where a member says otherwise.
 */
#ifndef GHC_CAPABILITY_H
#define GHC_CAPABILITY_H

#include <stmlog/runtime.h>

#include "lane.h"
#include "ring.h"

/* As many as the RTS can have. */
#define CAPABILITIES_MOST 256

struct ghc_capability {
	struct hs_capability *hooked;    /* the RTS's */
	uint32_t number;                 /* from 0 */
	uint32_t countdown;              /* transactions that will end before the next one is measured */
	bool is_due;                     /* the next transaction will be measured; counted in `watched` */
	struct ghc_lane *restarting;     /* its attempt was lost to an exception, and starts again at once */
	const struct hs_trec *validated; /* by the latest validation since the thread began to run; NULL: none */
	bool was_valid;
	uint32_t every; /* one transaction in so many is measured */
	uint32_t to_pass, window_len;
	uint64_t random, window_ticks;
	volatile AO_t commits, aborts; /* not measured; any thread may read them */
	struct ghc_lane *lanes[LANES_OF_CAPABILITY];
	struct ring ring;
};

/* Finds what is kept for the capability; at its first call for this one, makes it. NULL: there is no memory. */
struct ghc_capability *capability_find_slow(struct hs_capability *real);

/* Opens its first lane, if that is not open. */
void capability_attach(struct ghc_capability *mine);

#define CAPABILITY_SLOTS 1024
extern struct ghc_capability *capability_slots[CAPABILITY_SLOTS];

static inline size_t capability_hash(const struct hs_capability *real)
{
	return ((uintptr_t)real >> 6) % CAPABILITY_SLOTS;
}

/* NULL: capability_find_slow() has to look for it. */
static inline struct ghc_capability *capability_find_known(const struct hs_capability *real)
{
	struct ghc_capability *found = capability_slots[capability_hash(real)];
	return STMLOG_LIKELY(found != NULL && found->hooked == real) ? found : NULL;
}

static inline struct ghc_capability *capability_find(struct hs_capability *real)
{
	struct ghc_capability *found = capability_find_known(real);
	return STMLOG_LIKELY(found != NULL) ? found : capability_find_slow(real);
}

/* All that were made, [0, len). Any thread. */
size_t capabilities_len(void);
struct ghc_capability *capability_at(size_t index);

/* The library's reader of the counts (stmlog_read_unmeasured_by()). */
bool capability_read_counts(void *arg, struct stmlog_unmeasured_counts *counts);

static inline void capability_count(volatile AO_t *count)
{
	AO_store(count, AO_load(count) + 1);
}

/* The child's counts begin at zero. */
void capabilities_after_fork(void);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Lanes: the library's handles (stmlog_thread_open()), each of which belongs to one measured attempt from its start to
 * its end. Haskell threads move between OS threads in the middle of a transaction. So each capability has a lane of its
 * own, and takes a spare one while a preempted attempt has that one.
 *
 * Only the OS thread that holds the capability allocates one of its lanes. The attempt may end on another capability,
 * whose OS thread frees the lane. Partners: lane_alloc() loads `is_in_use` (acquire), lane_free() stores it (release).
 */
#ifndef GHC_LANE_H
#define GHC_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/agent.h>

#include "capability.h"
#include "requires.h"
#include "ring.h"
#include "rts.h"

/* ---- the accesses of a lane's attempt under way ----
 *
 * With their places: a record for the first access of each TVar, and one more for the first write of a TVar that was
 * read before.
 */

/* Of further accesses, neither the place nor the version is known. */
#define RECORDS_MAX 4096

/* Each in a cache line of its own, since an access fills one of them. */
struct record {
	_Alignas(64) uintptr_t tvar; /* 0: the garbage collector has lost it */
	uint64_t version;            /* of the TVar (ring.h), before the access */
	uintptr_t sites[RING_SITES];
	bool is_write;
	bool is_unsure; /* commits came during the access: `version` may be lower than that of the value */
};

_Static_assert(sizeof(struct record) == 64, "a record fits a cache line");

struct records {
	uint32_t len;
	struct record at[RECORDS_MAX + 1]; /* the last one is never appended */
};

/* Where the next record may be filled in. Only records_append() makes it a record of the attempt. */
static inline struct record *records_next(struct records *records)
{
	return &records->at[records->len];
}

/* Appends the record of records_next(), unless there are RECORDS_MAX already. */
static inline void records_append(struct records *records)
{
	if (records->len < RECORDS_MAX)
		records->len++;
}

/* The first record of the TVar; NULL: none. */
static inline struct record *records_first(struct records *records, uintptr_t tvar)
{
	for (uint32_t i = 0; i < records->len; i++)
		if (records->at[i].tvar == tvar)
			return &records->at[i];
	return NULL;
}

/* The last record of a write of the TVar, among the latest ones; NULL: none. */
#define RECORDS_NEAR 64
static inline struct record *records_write_near(struct records *records, uintptr_t tvar)
{
	const struct record *first = records->at + (records->len > RECORDS_NEAR ? records->len - RECORDS_NEAR : 0);
	struct record *record = records->at + records->len;
	while (record != first)
		if ((--record)->tvar == tvar && record->is_write)
			return record;
	return NULL;
}

/* ---- lanes ---- */

#define CHUNKS_MAX 8192

/* The stack of an attempt at its latest access, within the transaction: kept where a frame goes on with a closure
 * (left_add()). Frames are innermost first. */
#define STACK_WORDS 64
#define STACK_FRAMES 24
struct lane_stack {
	uint32_t len, words_len; /* len == 0: not known */
	struct {
		uint32_t depth; /* words from its first one to the transaction's frame */
		bool is_site;
		uintptr_t next; /* the program's code that runs once it is gone; 0: not known */
	} frames[STACK_FRAMES];
	uintptr_t words[STACK_WORDS];
};

enum lane_state {
	LANE_ATTEMPT, /* under way */
	LANE_LOST,    /* its abort is reported; the next attempt of the transaction follows */
};

struct ghc_lane {
	struct stmlog_thread *log; /* NULL in a forked child, until the lane is taken again */
	uint32_t number;           /* the mark of its TRecs */
	uint32_t weight;           /* of the transactions, as the library was told last */
	volatile AO_t is_in_use;
	bool is_claimed;
	bool is_stopped; /* the attempt's Haskell thread does not run; counted by watch_rival() */
	enum lane_state state;
	uint64_t began_ns;     /* when the attempt began */
	uint32_t slot;         /* the transaction was blocked before (blocked.h), plus MARK_SLOT; 0: it was not */
	struct tb_site site;   /* where the transaction begins */
	struct ring_wake wake; /* of the transaction, by which it has woken up last */
	uint32_t failures;     /* of the transaction (late_count()) */
	uint64_t random;       /* never 0 */
	uint32_t every;        /* with which the transaction was sampled; 0: it was not, and is measured late */
	uintptr_t code;        /* of the transaction: an address; 0: not known */
	bool knows_callers;    /* they are found when they are first needed (trace_callers()) */
	uintptr_t callers[RING_CALLERS]; /* 0: no more */
	uint64_t haskell;                /* number of the Haskell thread */
	size_t chunks_len;               /* of the TRecs of the attempt that may fail now (entries_note()) */
	struct lane_stack stack;
	struct hs_chunk *chunks[CHUNKS_MAX];
	struct records records;
};

/* The lane with this number. Requires that it was taken once. */
extern struct ghc_lane *lanes[];
static inline struct ghc_lane *lane_of(uint32_t number)
{
	REQUIRES(number != 0 && lanes[number] != NULL);
	return lanes[number];
}

static inline bool lane_is_late(const struct ghc_lane *lane)
{
	return lane->every == 0;
}

/* Allocates a free lane of the capability, idle or claimed. NULL: there is none, or no memory. */
struct ghc_lane *lane_alloc(struct ghc_capability *mine);

/* As lane_alloc(), for the transaction that is due: if there is a lane, `is_due` is cleared. */
struct ghc_lane *lane_alloc_due(struct ghc_capability *mine);

/* Claims the lane for the calling OS thread, if it is idle. */
void lane_claim_idle(struct ghc_lane *lane);
static inline void lane_claim(struct ghc_lane *lane)
{
	if (STMLOG_UNLIKELY(!lane->is_claimed))
		lane_claim_idle(lane);
}

/* The Haskell thread of the lane's attempt stops: the lane is idle until it is claimed. */
void lane_stop(struct ghc_lane *lane);

/* Frees the lane, whose attempt has ended on this capability. Its own first lane stays claimed: so that lane's
 * attached time is that of the capability. Requires that the lane is in use; but in a forked child it may be from
 * before the fork. */
void lane_free(struct ghc_lane *lane, struct ghc_capability *mine);

/* A thread begins to run on the capability: opens its first lane, if that is not open. Transactions that began
 * elsewhere may end here. As long as none has begun at all no lane is opened: a program without transactions makes no
 * recording.
 */
void lane_attach_if_used(struct ghc_capability *mine);

/* An attempt begins on the capability. */
void lane_begin_slow(struct ghc_capability *mine);
static inline void lane_begin(struct ghc_capability *mine)
{
	if (STMLOG_UNLIKELY(mine->awaits_start))
		lane_begin_slow(mine);
}

/* Calls the function for each lane that is in use. Called while no capability runs. */
void lanes_visit(void (*visit)(struct ghc_lane *lane, void *arg), void *arg);

/* In a forked child the library has forgotten all lanes. */
void lanes_after_fork(void);

#endif

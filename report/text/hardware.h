/* SPDX-License-Identifier: MIT
 * What a recording says of hardware transactions: their counts, and the places at which they probably abort because of
 * lazy binding. */
#ifndef HARDWARE_H
#define HARDWARE_H

#include "place.h"
#include "records.h"

struct hardware_cause {
	const char *word; /* "HTM_CONFLICT" */
	const char *name; /* "conflict" */
	uint64_t aborts;
};

enum {
#define STMLOG_INFO_HARDWARE(word, name, doc) HARDWARE_##word,
#include <stmlog/info.def>
	HARDWARE_CAUSES
};

/* Counts of hardware transactions, measured or not, if the runtime has counted them. */
struct hardware {
	bool is_known;
	uint64_t attempts;
	uint64_t aborts;
	struct hardware_cause causes[HARDWARE_CAUSES];
	uint64_t fallbacks; /* transactions that ran without hardware in the end */
};

struct hardware hardware_of(const struct recording_info *info);

/* ---- places of lazy binding ---- */

/* A place where hardware transactions probably abort because of lazy binding. The first call of a lazily bound function
 * runs the dynamic linker, which aborts a hardware transaction. The abort undoes the binding, so the next call is a
 * first call again. The evidence is aborts without a reason (HTM_UNFRIENDLY) at a place in a lazily bound module. A
 * page fault or a system call looks the same, so it is a guess. */
struct lazy_place {
	uint32_t place;      /* place.h */
	uint32_t entry;      /* the index of its first entry */
	uint64_t aborts;     /* measured aborts of hardware transactions at the place */
	uint64_t unfriendly; /* those of them that are HTM_UNFRIENDLY */
};

struct lazy_places {
	struct lazy_place *at; /* sorted by unfriendly aborts, the largest number first */
	size_t len;
};

enum { LAZY_MIN_ABORTS = 10 }; /* a place has at least so many, and half of them unfriendly */

/* Empty if the program was started with LD_BIND_NOW. The caller calls lazy_places_fini(). */
struct lazy_places lazy_places_of(const struct recording *recording, struct symbols *symbols, struct places *places);
void lazy_places_fini(struct lazy_places *lazy);

#endif

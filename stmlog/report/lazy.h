/* SPDX-License-Identifier: MIT
 * Places whose hardware transactions seem to fail over lazy binding. A function that is bound at its first call is
 * bound by code that no hardware transaction gets through, so that the call is undone with all else, and is a first one
 * the next time, too. Told by what is left of that: aborts without a hint of the hardware's, at a place in a module
 * that is bound lazily. A page fault or a system call looks the same, so it is a guess. */
#ifndef LAZY_H
#define LAZY_H

#include "place.h"

struct lazy_place {
	uint32_t place;      /* place.h */
	uint32_t entry;      /* the first of its entries */
	uint64_t aborts;     /* of hardware transactions there, as measured */
	uint64_t unfriendly; /* of these: HTM_UNFRIENDLY */
};

struct lazy_places {
	struct lazy_place *at; /* the most unfriendly aborts first */
	size_t len;
};

enum { LAZY_LEAST_ABORTS = 10 }; /* and half of them unfriendly */

/* None of a recording whose program was started with LD_BIND_NOW. Call lazy_places_fini(). */
struct lazy_places lazy_places_of(const struct recording *recording, struct symbols *symbols, struct places *places);
void lazy_places_fini(struct lazy_places *lazy);

#endif

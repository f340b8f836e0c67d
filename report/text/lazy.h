/* SPDX-License-Identifier: MIT
 * Places whose hardware transactions seem to abort because of lazy binding. The first call of a lazily bound function
 * runs the dynamic linker, which aborts a hardware transaction. The abort undoes the binding, so the next call is a
 * first call again. What can be seen of this: aborts for which the hardware gives no reason, at a place in a lazily
 * bound module. A page fault or a system call looks the same, so it is a guess. */
#ifndef LAZY_H
#define LAZY_H

#include "place.h"

struct lazy_place {
	uint32_t place;      /* place.h */
	uint32_t entry;      /* the number of its first entry */
	uint64_t aborts;     /* of hardware transactions there, as measured */
	uint64_t unfriendly; /* of these: HTM_UNFRIENDLY */
};

struct lazy_places {
	struct lazy_place *at; /* the most unfriendly aborts first */
	size_t len;
};

enum { LAZY_MIN_ABORTS = 10 }; /* and half of them unfriendly */

/* None of a recording whose program was started with LD_BIND_NOW. Call lazy_places_fini(). */
struct lazy_places lazy_places_of(const struct recording *recording, struct symbols *symbols, struct places *places);
void lazy_places_fini(struct lazy_places *lazy);

#endif

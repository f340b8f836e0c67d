/* SPDX-License-Identifier: MIT
 * Finds places where hardware transactions probably abort because of lazy binding. The first call of a lazily bound
 * function runs the dynamic linker, which aborts a hardware transaction. The abort undoes the binding, so the next call
 * is a first call again. The evidence is aborts without a reason (HTM_UNFRIENDLY) at a place in a lazily bound module.
 * A page fault or a system call looks the same, so it is a guess. */
#ifndef LAZY_H
#define LAZY_H

#include "place.h"

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

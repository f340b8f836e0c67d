/* SPDX-License-Identifier: MIT
 *
 * Where the calling thread is. A program allocates at the same places again and again: the stack is looked at
 * frame by frame when it is met first, and recognised by its return addresses afterwards, as the agent does
 * (../cache.h) with stacks of attempts that failed.
 */
#ifndef OBJECTS_WHERE_H
#define OBJECTS_WHERE_H

#include <stdint.h>

#include "places.h"

/* What a thread remembers of one stack. Invariants: number != 0 => it is that of `place`; each slot held its return
 * address. */
struct where {
	uint32_t number; /* of the place; 0: it was not asked for yet */
	struct place place;
	const uintptr_t *slots[PLACES_FRAMES];
};

/* The stack from the return address in `slot` outwards, which must be the calling thread's. Borrowed until the
 * thread's next call; the caller may set `number`. */
struct where *where_now(const uintptr_t *slot);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The place where the calling thread is. A program allocates at the same places again and again: so a stack is unwound
 * only the first time, and recognised by its return addresses afterwards. The agent does the same with stacks of failed
 * attempts (native/cache.h).
 */
#ifndef OBJECTS_WHERE_H
#define OBJECTS_WHERE_H

#include <stdint.h>

#include "places.h"

/* A stack that a thread remembers.
 * Invariants:  number != 0  =>  it is the number of `place`;
 *              slots[0] != NULL  =>  each slot held the return address of its frame. NULL: the stack cannot be
 *              recognised. */
struct where {
	uint32_t number; /* of the place; 0: not known yet */
	struct place place;
	const uintptr_t *slots[PLACES_FRAMES];
};

/* The stack from the return address in `slot` outwards; `slot` must be on the calling thread's stack. Borrowed until
 * the thread's next call. The caller may set `number`. */
struct where *where_now(const uintptr_t *slot);

#endif

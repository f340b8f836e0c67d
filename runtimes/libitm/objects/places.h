/* SPDX-License-Identifier: MIT
 *
 * Places where memory was allocated: as numbers, and as a thread finds its own. A program allocates at few places,
 * again and again. So they are kept for good; and a stack is unwound only the first time, and recognised by its return
 * addresses afterwards. The agent does the same with stacks of failed attempts (native/cache.h).
 *
 * One thread at a time may call places_number() and places_at(); the caller has to ensure that. Any thread may call
 * where_now().
 */
#ifndef OBJECTS_PLACES_H
#define OBJECTS_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#define PLACES_FRAMES 12
#define PLACES_MAX 16384u

/* Return addresses, innermost first. */
struct place {
	uint32_t len;
	bool is_whole; /* no frame is missing at the outer end */
	uintptr_t frames[PLACES_FRAMES];
};

/* The number of a place, above 0; equal places have the same. 0: it has no frames, or there is no room. */
uint32_t places_number(const struct place *place);

/* The place with that number; NULL for 0. Requires a number below PLACES_MAX. */
const struct place *places_at(uint32_t number);

/* ---- the place where the calling thread is ---- */

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

/* SPDX-License-Identifier: MIT
 *
 * Where memory was allocated, as numbers: a program has few places that allocate, and they stay for ever.
 *
 * One thread at a time; the caller sees to that.
 */
#ifndef OBJECTS_PLACES_H
#define OBJECTS_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#define PLACES_FRAMES 12
#define PLACES_MOST 16384u

/* Return addresses, innermost first. */
struct place {
	uint32_t len;
	bool is_whole; /* no frame is missing at the outer end */
	uintptr_t frames[PLACES_FRAMES];
};

/* The number of a place, above 0, which is the same for equal ones. 0: it has no frames, or there is no room. */
uint32_t places_number(const struct place *place);

/* NULL for 0. */
const struct place *places_at(uint32_t number);

#endif

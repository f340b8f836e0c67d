/* SPDX-License-Identifier: MIT
 *
 * Places where memory was allocated, as numbers. A program has few of them, so they are kept for good.
 *
 * One thread at a time may call; the caller has to ensure that.
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

#endif

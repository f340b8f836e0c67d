/* SPDX-License-Identifier: MIT
 *
 * Random numbers by which sampled transactions are drawn, so that these do not coincide with a rhythm of the program:
 * xorshift64*, a few instructions and no memory besides its state.
 */
#ifndef NATIVE_XORSHIFT_H
#define NATIVE_XORSHIFT_H

#include <stdint.h>

#include "requires.h"

/* The next number; its upper bits are the best. Requires a state that is not 0, and leaves such a state. */
static inline uint64_t native_random(uint64_t *state)
{
	REQUIRES(*state != 0);
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

#endif

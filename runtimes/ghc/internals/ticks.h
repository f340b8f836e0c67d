/* SPDX-License-Identifier: MIT
 * The processor's time stamp counter: a clock for orders and for rough lengths, which costs little. */
#ifndef GHC_TICKS_H
#define GHC_TICKS_H

#include <stdint.h>

static inline uint64_t ticks_now(void)
{
	return __builtin_ia32_rdtsc();
}

#endif

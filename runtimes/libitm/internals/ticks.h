/* SPDX-License-Identifier: MIT
 *
 * The processor's time-stamp counter, which all threads read, in one instruction. Objects for unit tests are compiled
 * with tests/libitm/fake_ticks.h in the place of this header.
 */
#ifndef ITM_TICKS_H
#define ITM_TICKS_H

#include <stdint.h>
#include <x86intrin.h>

static inline uint64_t itm_ticks_now(void)
{
	return __rdtsc();
}

#endif

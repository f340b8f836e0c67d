/* SPDX-License-Identifier: MIT
 *
 * The time-stamp counter of unit tests, in the place of ticks.h: all their objects of the agent are compiled with this
 * file before everything else. The counter belongs to the fake clock (fake_clock.h), and moves with it.
 */
#ifndef ITM_TICKS_H
#define ITM_TICKS_H

#include <stdint.h>

/* A power of two, so that the agent's ratio of the two clocks has no rounding error. */
#define FAKE_TICKS_PER_NS UINT64_C(2)

uint64_t itm_ticks_now(void);

#endif

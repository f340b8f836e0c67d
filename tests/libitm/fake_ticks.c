/* SPDX-License-Identifier: MIT */
#include "fake_ticks.h"

#include "fake_clock.h"

uint64_t itm_ticks_now(void)
{
	return FAKE_TICKS_PER_NS * fake_clock_now_ns();
}

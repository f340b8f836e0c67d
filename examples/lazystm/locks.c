/* SPDX-License-Identifier: MIT
 * The clock and the locks of the process. */
#include "locks.h"

struct lock locks[LOCKS];
struct lock_clock lock_clock;

AO_t lock_clock_advance(void)
{
	AO_t now = AO_fetch_and_add_full(&lock_clock.now, 2) + 2;
#ifndef __x86_64__
	AO_nop_full(); /* on AArch64 an update is an acquire and a release, and a later load may pass it */
#endif
	return now;
}

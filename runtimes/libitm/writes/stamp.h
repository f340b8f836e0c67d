/* SPDX-License-Identifier: MIT
 *
 * When, in an order that all threads agree on, for less than a reading of the clock: did that
 * transaction end before this attempt began? libitm keeps a count of its own that each
 * writer's commit raises; the writer has just touched it when we read it. Where its
 * address is not known (libitm_layout.h) the processor's time stamp serves, for more.
 */
#ifndef ITM_STAMP_H
#define ITM_STAMP_H

#include <stdint.h>
#include <x86intrin.h>

#include <atomic_ops.h>

#include "libitm_layout.h"

/* Never goes back; equal stamps may be of different moments. Below 2^63 for all time. */
static inline uint64_t itm_stamp(void)
{
	return itm_locks.commit_count != NULL ? AO_load(itm_locks.commit_count) : __rdtsc();
}

/* Stamps that differ by no more than this are of moments that a failing access and the look
 * for its culprit may lie apart: some tenths of a microsecond, or some commits. */
static inline uint64_t itm_stamp_recent(void)
{
	return itm_locks.commit_count != NULL ? 3 : 1000;
}

#endif

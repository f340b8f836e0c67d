/* SPDX-License-Identifier: MIT
 *
 * Stamps: points in time that all threads order alike, cheaper than a reading of the clock. They answer whether a
 * transaction ended before an attempt began. libitm counts commits of transactions that have written; the committing
 * thread has that counter in its cache. Where the counter's address is not known (libitm_layout.h), stamps are readings
 * of the processor's time stamp counter, which cost more.
 */
#ifndef ITM_STAMP_H
#define ITM_STAMP_H

#include <stdint.h>

#include <atomic_ops.h>

#include "filter.h"
#include "libitm_layout.h"
#include "ticks.h"

/* The time-stamp counter; 0 once some threads may not read it. Hooks of unmeasured threads call this, too. */
static inline uint64_t itm_time_stamp(void)
{
	return __builtin_expect(native_has_no_clock(), 0) ? 0 : itm_ticks_now();
}

/* The present stamp. It never goes back; different moments may have equal stamps. Always below 2^63. */
static inline uint64_t itm_stamp(void)
{
	return itm_locks.commit_count != NULL ? AO_load(itm_locks.commit_count) : itm_time_stamp();
}

/* The time that may pass between a failing access and the search for its culprit, as a difference of stamps: some
 * commits, or some tenths of a microsecond. */
static inline uint64_t itm_stamp_recent(void)
{
	return itm_locks.commit_count != NULL ? 3 : 1000;
}

#endif

/* SPDX-License-Identifier: MIT
 * What the program may have forbidden its threads (filter.c). It may have filtered system calls: then the agent makes
 * none for itself. It may also have forbidden to read the time-stamp counter, which clock_gettime() reads, too. */
#ifndef ITM_FILTERED_H
#define ITM_FILTERED_H

#include <stdbool.h>
#include <stdint.h>
#include <x86intrin.h>

#include <atomic_ops.h>

enum itm_forbidden { ITM_NOTHING_FORBIDDEN, ITM_NO_CALLS, ITM_NO_CLOCK /* and no calls */ };

/* enum itm_forbidden. It only grows. Read without order: it is stored before the call that forbids, by the thread that
 * makes this call; threads that this thread creates afterwards see the value. */
extern volatile AO_t itm_filtered __attribute__((visibility("hidden")));

static inline bool itm_is_filtered(void)
{
	return AO_load(&itm_filtered) != ITM_NOTHING_FORBIDDEN;
}

static inline bool itm_has_no_clock(void)
{
	return AO_load(&itm_filtered) == ITM_NO_CLOCK;
}

/* The time-stamp counter; 0 once some threads may not read it. Hooks of unmeasured threads call this, too. */
static inline uint64_t itm_time_stamp(void)
{
	return __builtin_expect(itm_has_no_clock(), 0) ? 0 : __rdtsc();
}

#endif

/* SPDX-License-Identifier: MIT
 * What the program may have forbidden its threads (filter.c): system calls, by a filter, which the agent does not make
 * for itself then; or also the time-stamp counter, which clock_gettime() reads, too. */
#ifndef ITM_FILTERED_H
#define ITM_FILTERED_H

#include <stdbool.h>
#include <stdint.h>
#include <x86intrin.h>

#include <atomic_ops.h>

enum itm_forbidden { ITM_NOTHING_FORBIDDEN, ITM_NO_CALLS, ITM_NO_CLOCK /* and no calls */ };

/* enum itm_forbidden. It only grows. Relaxed: each thread that is bound comes from the thread that has stored this. */
extern volatile AO_t itm_filtered __attribute__((visibility("hidden")));

static inline bool itm_is_filtered(void)
{
	return AO_load(&itm_filtered) != ITM_NOTHING_FORBIDDEN;
}

static inline bool itm_has_no_clock(void)
{
	return AO_load(&itm_filtered) == ITM_NO_CLOCK;
}

/* For threads that the agent may not have measured since; 0: it cannot be read. */
static inline uint64_t itm_time_stamp(void)
{
	return __builtin_expect(itm_has_no_clock(), 0) ? 0 : __rdtsc();
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * The clock of all recorded times, in nanoseconds. It never goes back within a thread. It is chosen before the first
 * reading and stays the same until the session is closed; but stmlog_read_clock_by_call() replaces it by
 * clock_by_call_ns() at any time, even a clock that the program has set.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

typedef uint64_t clock_function(void);

/* The source of readings. NULL: CLOCK_MONOTONIC, which is read inline, because an indirect call and its frame are a
 * noticeable part of a reading. */
extern clock_function *clock_source __attribute__((visibility("hidden")));

static inline uint64_t clock_ns_of(struct timespec time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static inline uint64_t clock_gettime_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return clock_ns_of(now);
}

/* Reads CLOCK_MONOTONIC by a system call. For processes that have forbidden their threads to read the TSC (prctl(2)),
 * which clock_gettime() reads in place of a system call. */
uint64_t clock_by_call_ns(void);

static inline uint64_t clock_monotonic_ns(void)
{
	return clock_source == clock_by_call_ns ? clock_by_call_ns() : clock_gettime_ns();
}

static inline uint64_t clock_now_ns(void)
{
	return __builtin_expect(clock_source == NULL, 1) ? clock_gettime_ns() : clock_source();
}

/* As clock_now_ns(), for a caller that has just read the processor's time-stamp counter (TSC) for itself: if that is
 * the source, `tsc` is converted, and nothing read. */
uint64_t clock_now_by_tsc_ns(uint64_t tsc);

/* How the TSC is converted to CLOCK_MONOTONIC: to base_ns + (TSC - base) * scale / 2^32. It is the same in all
 * processes of a machine. */
struct clock_tsc {
	uint64_t base, base_ns, scale;
};

/* Calibrates the TSC, which takes 10 ms. Returns NULL, or why the TSC cannot be the clock here: a clause. */
const char *clock_calibrate_tsc(struct clock_tsc *tsc);

/* Makes the TSC the source. Returns false, and changes nothing, if its reading differs from CLOCK_MONOTONIC by more
 * than a millisecond: the calibration is of another machine, or too old. */
bool clock_use_tsc(const struct clock_tsc *tsc);

/* Sets the source. NULL: CLOCK_MONOTONIC. */
void clock_use(clock_function *source);

/* The name of the source: "monotonic", "tsc" or "custom". */
const char *clock_name(void);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The one clock of the process, in nanoseconds; never goes back within a thread.
 * Which one it is, is decided before the first event and not changed after.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

typedef uint64_t clock_function(void);

/* Where readings come from; NULL: CLOCK_MONOTONIC, which is read inline, for an indirect call and a frame
 * are a noticeable part of a reading. */
extern clock_function *clock_source;

static inline uint64_t clock_monotonic_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline uint64_t clock_now_ns(void)
{
	return __builtin_expect(clock_source == NULL, 1) ? clock_monotonic_ns() : clock_source();
}

/* Calibrates the TSC against CLOCK_MONOTONIC (10 ms) and makes it the source; its readings are
 * CLOCK_MONOTONIC's. Returns false, and changes nothing, where the TSC is not invariant. */
bool clock_use_tsc(void);

/* NULL: back to CLOCK_MONOTONIC. */
void clock_use(clock_function *source);

/* "monotonic", "tsc" or "custom". */
const char *clock_name(void);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The one clock of the process, in nanoseconds; never goes back within a thread.
 * Which one it is, is decided before the first event and not changed after.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t clock_function(void);

/* Where readings come from. A pointer, not a branch: one indirect call, and a test can put its own there. */
extern clock_function *clock_source;

static inline uint64_t clock_now_ns(void)
{
	return clock_source();
}

clock_function clock_monotonic_ns;

/* Calibrates the TSC against CLOCK_MONOTONIC (10 ms) and makes it the source; its readings are
 * CLOCK_MONOTONIC's. Returns false, and changes nothing, where the TSC is not invariant. */
bool clock_use_tsc(void);

/* NULL: back to CLOCK_MONOTONIC. */
void clock_use(clock_function *source);

/* "monotonic", "tsc" or "custom". */
const char *clock_name(void);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Spends the time between two calls of libitm. A short gap is a number of multiplications that wait for each other:
 * their time is the latency of the multiplier, and so another thread on the same core does not change it. A longer gap
 * ends at a time of the clock.
 */
#ifndef ITM_REPLAY_GAP_H
#define ITM_REPLAY_GAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* At least one of the two is 0. */
struct gap {
	uint64_t ticks;      /* of the time-stamp counter, for gap_wait() */
	uint32_t iterations; /* for gap_spin() */
};

/* The speed of this machine. */
struct gap_scale {
	double ticks_per_ns;
	double iterations_per_ns;
};

/* Measures the speed, which takes some 20 ms. */
struct gap_scale gap_measure(void);

/* Converts a time, of which anything below 0 counts as 0. `*rest` has the part of an iteration that was lost before,
 * and gets the part that is lost now: so the sum of many short gaps is right. */
struct gap gap_of(const struct gap_scale *scale, double ns, double *rest);

/* Takes the part of a program's computations with a value that it has read: the multiplications cannot begin before
 * `value` is known, and the value that they return is not known before they end. */
static inline uint64_t gap_spin(uint32_t iterations, uint64_t value)
{
	while (iterations-- > 0)
		__asm__ volatile("imul %0, %0" : "+r"(value));
	return value;
}

/* Waits; ends early when *is_over becomes true. gap_sleep() sleeps for most of the time if it is long. */
void gap_wait(uint64_t ticks, const atomic_bool *is_over);
void gap_sleep(const struct gap_scale *scale, uint64_t ticks, const atomic_bool *is_over);

#endif

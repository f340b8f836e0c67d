/* SPDX-License-Identifier: MIT
 * The time between two calls of libitm, as iterations and ticks. Only lower bounds of times are asserted. */

#include <time.h>
#include <x86intrin.h>

#include "gap.h"
#include "test.h"

/* Exact in binary. */
static const struct gap_scale scale = {.ticks_per_ns = 2.5, .iterations_per_ns = 0.75};

TEST(the_sum_of_short_gaps_is_right)
{
	double rest = 0;
	uint64_t iterations = 0;
	for (int i = 0; i < 1000; i++)
		iterations += gap_of(&scale, 1, &rest).iterations;
	assert_int_equal(iterations, 750);
	assert_int_equal(gap_of(&scale, 100, &rest).iterations, 75);
}

TEST(long_gaps_end_by_the_clock)
{
	double rest = 0.5;
	struct gap gap = gap_of(&scale, 4000, &rest);
	assert_int_equal(gap.iterations, 0);
	assert_int_equal(gap.ticks, 10000);
	assert_true(rest == 0.5);
}

TEST(a_gap_that_is_not_known_is_none)
{
	double rest = 0.5;
	struct gap gap = gap_of(&scale, -1, &rest);
	assert_true(gap.iterations == 0 && gap.ticks == 0 && rest == 0.5);
}

TEST(a_gap_of_any_length_has_a_number_of_ticks)
{
	double rest = 0;
	struct gap gap = gap_of(&scale, 3e38, &rest);
	assert_true(gap.ticks > gap_of(&scale, 1e9, &rest).ticks);
}

TEST(the_machine_has_a_speed)
{
	struct gap_scale measured = gap_measure();
	assert_true(measured.ticks_per_ns > 0 && measured.iterations_per_ns > 0);
}

/* A wait that takes less than this many ticks has ended early. */
static uint64_t ticks_of_wait(uint64_t ticks, bool sleeps, bool is_over)
{
	atomic_bool over = is_over;
	uint64_t before = __rdtsc();
	if (sleeps)
		gap_sleep(&scale, ticks, &over);
	else
		gap_wait(ticks, &over);
	return __rdtsc() - before;
}

TEST(a_wait_takes_its_time)
{
	assert_true(ticks_of_wait(10000, false, false) >= 10000);
	assert_true(ticks_of_wait(10000, true, false) >= 10000);
	assert_true(ticks_of_wait(1000000, true, false) >= 1000000);
}

/* An hour at least: the test would not end. */
TEST(a_wait_ends_when_the_run_is_over)
{
	ticks_of_wait((uint64_t)1 << 44, false, true);
	ticks_of_wait((uint64_t)1 << 44, true, true);
}

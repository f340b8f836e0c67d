/* SPDX-License-Identifier: MIT
 * How near processors are. How long a line takes is the machine's. */
#include "line_transfer.h"

#include <sched.h>
#include <valgrind/valgrind.h>

#include "test.h"

TEST(with_two_processors_a_time_is_known)
{
	cpu_set_t set;
	assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
	if (CPU_COUNT(&set) < 2 || RUNNING_ON_VALGRIND) /* which runs one thread at a time */
		skip();
	double line_ns = 0;
	for (int tries = 0; tries < 1000 && !(line_ns > 0); tries++) /* other processes may have them */
		line_ns = line_transfer_ns();
	assert_true(line_ns > 0 && line_ns < 1e9);
}

TEST(with_one_processor_it_is_not)
{
	cpu_set_t all, one;
	assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
	CPU_ZERO(&one);
	for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	double line_ns = line_transfer_ns();
	assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
	assert_true(line_ns == 0);
}

TEST(times_below_a_factor_of_two_are_alike)
{
	assert_true(line_transfers_are_alike(50, 50));
	assert_true(line_transfers_are_alike(50, 99.9) && line_transfers_are_alike(99.9, 50));
	assert_false(line_transfers_are_alike(50, 100) || line_transfers_are_alike(100, 50));
}

TEST(a_time_that_is_not_known_is_like_any)
{
	assert_true(
		line_transfers_are_alike(0, 300) && line_transfers_are_alike(300, 0) && line_transfers_are_alike(0, 0));
}

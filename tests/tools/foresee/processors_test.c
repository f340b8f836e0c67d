/* SPDX-License-Identifier: MIT
 * How near processors are. How long a line takes is the machine's. */
#include "processors.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void with_two_processors_a_time_is_known(void **state)
{
	cpu_set_t set;
	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
	if (CPU_COUNT(&set) < 2)
		skip();
	double line_ns = processors_line_ns();
	assert_true(line_ns > 0 && line_ns < 1e9);
}

static void with_one_processor_it_is_not(void **state)
{
	cpu_set_t all, one;
	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
	CPU_ZERO(&one);
	for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	double line_ns = processors_line_ns();
	assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
	assert_true(line_ns == 0);
}

static void times_below_a_factor_of_two_are_alike(void **state)
{
	(void)state;
	assert_true(processors_are_alike(50, 50));
	assert_true(processors_are_alike(50, 99.9) && processors_are_alike(99.9, 50));
	assert_false(processors_are_alike(50, 100) || processors_are_alike(100, 50));
}

static void a_time_that_is_not_known_is_like_any(void **state)
{
	(void)state;
	assert_true(processors_are_alike(0, 300) && processors_are_alike(300, 0) && processors_are_alike(0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_two_processors_a_time_is_known),
		cmocka_unit_test(with_one_processor_it_is_not),
		cmocka_unit_test(times_below_a_factor_of_two_are_alike),
		cmocka_unit_test(a_time_that_is_not_known_is_like_any),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

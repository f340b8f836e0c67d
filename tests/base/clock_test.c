/* SPDX-License-Identifier: MIT
 * The sources of the clock. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>

#include <cmocka.h>

#include "clock.h"

#define S UINT64_C(1000000000)

static int use_default(void **state)
{
	(void)state;
	clock_use(NULL);
	return 0;
}

static uint64_t seven(void)
{
	return 7;
}

/* Whether a reading lies between two of CLOCK_MONOTONIC, give or take a second: it may be of another source. */
static void assert_reads_monotonic(void)
{
	uint64_t before = clock_monotonic_ns();
	uint64_t now = clock_now_ns();
	uint64_t after = clock_monotonic_ns();
	assert_true(before < now + S);
	assert_true(now < after + S);
}

static void without_a_source_the_clock_is_monotonic(void **state)
{
	(void)state;
	assert_string_equal(clock_name(), "monotonic");
	assert_reads_monotonic();
}

static void a_source_of_the_programs_own_is_read_and_called_custom(void **state)
{
	(void)state;
	clock_use(seven);
	assert_string_equal(clock_name(), "custom");
	assert_int_equal(clock_now_ns(), 7);
	clock_use(NULL);
	assert_string_equal(clock_name(), "monotonic");
}

static void readings_of_the_tsc_are_those_of_the_monotonic_clock_and_never_go_back(void **state)
{
	(void)state;
	if (!clock_use_tsc())
		skip(); /* it is not invariant */
	assert_string_equal(clock_name(), "tsc");
	uint64_t last = clock_now_ns();
	for (int i = 0; i < 1000; i++) {
		uint64_t now = clock_now_ns();
		assert_true(now >= last);
		last = now;
	}
	assert_reads_monotonic();
}

static void where_the_tsc_cannot_be_used_the_source_stays(void **state)
{
	(void)state;
	clock_use(seven);
	if (clock_use_tsc())
		skip();
	assert_string_equal(clock_name(), "custom");
}

#define CASE(claim) cmocka_unit_test_setup_teardown(claim, use_default, use_default)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(without_a_source_the_clock_is_monotonic),
		CASE(a_source_of_the_programs_own_is_read_and_called_custom),
		CASE(readings_of_the_tsc_are_those_of_the_monotonic_clock_and_never_go_back),
		CASE(where_the_tsc_cannot_be_used_the_source_stays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * What the kernel says of the processors, and what is left of it for others. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <errno.h>
#include <unistd.h>

#include <cmocka.h>

#include "machine_time.h"

static void idle_time_and_the_process_are_parts_of_all_and_none_goes_back(void **state)
{
	struct machine_time before = machine_time_now(getpid()), now = before;
	(void)state;
	if (before.all_ns == 0)
		skip(); /* there is no /proc */
	while (now.all_ns == before.all_ns)
		now = machine_time_now(getpid());
	assert_true(now.idle_ns >= before.idle_ns && now.idle_ns <= now.all_ns);
	assert_true(now.own_ns > before.own_ns && now.own_ns <= now.all_ns);
}

static void errno_is_kept(void **state)
{
	(void)state;
	errno = EXDEV;
	machine_time_now(getpid());
	assert_int_equal(errno, EXDEV);
}

static void others_have_what_is_neither_idle_nor_the_process(void **state)
{
	const struct machine_time from = {1000, 100, 10}, to = {3000, 600, 710};
	(void)state;
	struct machine_time between = machine_time_between(&from, &to);
	assert_int_equal(between.all_ns, 2000);
	assert_int_equal(between.idle_ns, 500);
	assert_int_equal(between.own_ns, 700);
	assert_int_equal(machine_time_of_others_ns(&between), 800);
}

/* The process's own time is exact, and that of the machine is not. */
static void others_never_have_less_than_nothing(void **state)
{
	const struct machine_time times[] = {{2000, 1300, 701}, {2000, 2001, 0}, {0, 0, 0}};
	(void)state;
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		assert_int_equal(machine_time_of_others_ns(&times[i]), 0);
}

static void from_or_to_an_unknown_time_nothing_is_known(void **state)
{
	const struct machine_time known = {3000, 600, 710}, unknown = {0, 0, 0};
	(void)state;
	struct machine_time since = machine_time_between(&unknown, &known);
	struct machine_time until = machine_time_between(&known, &unknown);
	assert_int_equal(since.all_ns + since.idle_ns + since.own_ns, 0);
	assert_int_equal(until.all_ns + until.idle_ns + until.own_ns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_time_and_the_process_are_parts_of_all_and_none_goes_back),
		cmocka_unit_test(errno_is_kept),
		cmocka_unit_test(others_have_what_is_neither_idle_nor_the_process),
		cmocka_unit_test(others_never_have_less_than_nothing),
		cmocka_unit_test(from_or_to_an_unknown_time_nothing_is_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

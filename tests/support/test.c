/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct test *tests;

void test_add(struct test *test)
{
	struct test **place = &tests;
	while (*place != NULL && (*place)->line <= test->line)
		place = &(*place)->next;
	test->next = *place;
	*place = test;
}

/* ---- what cmocka calls, with the struct test as *state ---- */

static void run(void **state)
{
	const struct test *test = *state;
	test->run();
}

static int set_up(void **state)
{
	const struct test *test = *state;
	if (test->fixture != NULL && test->fixture->set_up != NULL)
		test->fixture->set_up();
	return 0;
}

static int tear_down(void **state)
{
	const struct test *test = *state;
	if (test->fixture != NULL && test->fixture->tear_down != NULL)
		test->fixture->tear_down();
	return 0;
}

static int group_set_up(void **state)
{
	(void)state;
	if (&test_group != NULL && test_group->set_up != NULL)
		test_group->set_up();
	return 0;
}

static bool group_has_ended; /* cmocka does not count a tear-down of the group that fails */

static int group_tear_down(void **state)
{
	(void)state;
	if (&test_group != NULL && test_group->tear_down != NULL)
		test_group->tear_down();
	group_has_ended = true;
	return 0;
}

int test_run(void)
{
	enum { TESTS_MAX = 1000 };
	static struct CMUnitTest rows[TESTS_MAX];
	size_t len = 0;
	for (struct test *test = tests; test != NULL; test = test->next) {
		if (len == TESTS_MAX) {
			fprintf(stderr, "more than %d tests\n", TESTS_MAX);
			return 1;
		}
		if (test->is_possible == NULL || test->is_possible())
			rows[len++] = (struct CMUnitTest){test->claim, run, set_up, tear_down, test};
	}
	if (len == 0) {
		fprintf(stderr, "%s has no tests\n", program_invocation_short_name);
		return 1;
	}
	int failed = _cmocka_run_group_tests(program_invocation_short_name, rows, len, group_set_up, group_tear_down);
	return failed != 0 || !group_has_ended;
}

/* SPDX-License-Identifier: MIT
 * REQUIRES() and ENSURES(). A build without STMLOG_CHECKS checks nothing: there the test of a broken requirement is
 * skipped, and conditions must not be evaluated. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "check.h"
#include "child.h"
#include "interned.h"
#include "test.h"

static int evaluated;

static int count(int value)
{
	evaluated++;
	return value;
}

static void keep_a_requirement(void)
{
	int condition = 1;
	REQUIRES(condition == 1);
	(void)condition; /* unused without STMLOG_CHECKS */
}

TEST(a_kept_requirement_is_silent)
{
	char told[256];
	assert_int_equal(child_tells(keep_a_requirement, told, sizeof told), BODY_HAS_RETURNED);
	assert_string_equal(told, "");
}

static void break_a_requirement(void)
{
	int condition = 0;
	REQUIRES(condition == 1);
	(void)condition;
}

TEST(a_broken_requirement_ends_the_process_and_names_itself)
{
	child_is_stopped(break_a_requirement, "check_test.c:");
	child_is_stopped(break_a_requirement, "requires condition == 1");
}

static void fail_with_a_long_text(void)
{
	char text[1000];
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	check_failed("file.c", 7, text);
}

/* In a build without STMLOG_CHECKS, too. */
TEST(what_is_too_long_for_the_line_is_cut)
{
	char told[2000];
	int status = child_run(fail_with_a_long_text, told, sizeof told);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	assert_int_equal(strlen(told), 511);
	assert_memory_equal(told, "stmlog: file.c:7: xxx", 21);
}

TEST(a_condition_is_evaluated_only_where_it_is_checked)
{
	evaluated = 0;
	REQUIRES(count(1) == 1);
	ENSURES(count(1) == 1);
#ifdef STMLOG_CHECKS
	assert_int_equal(evaluated, 2);
#else
	assert_int_equal(evaluated, 0);
	assert_int_equal(count(0), 0);
#endif
}

TEST_STOPPED("interned.c", a_function_of_this_folder_is_checked)
{
	static struct interned copies;
	interned_add(&copies, NULL, "x", 2);
}

/* SPDX-License-Identifier: MIT
 * REQUIRES() and ENSURES(). A build without STMLOG_CHECKS checks nothing: there the test of a broken requirement is
 * skipped, and conditions must not be evaluated. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Forks a child that requires condition == 1. Returns the child's wait status, and its stderr in `printed`. */
static int child_that_requires(int condition, char *printed, size_t size)
{
	int ends[2];
	(void)condition; /* unused without STMLOG_CHECKS */
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		signal(SIGABRT, SIG_DFL); /* cmocka's handler would go on */
		REQUIRES(condition == 1);
		_exit(0);
	}
	close(ends[1]);
	ssize_t len = read(ends[0], printed, size - 1);
	printed[len > 0 ? len : 0] = '\0';
	close(ends[0]);
	return child_end(child);
}

TEST(a_kept_requirement_is_silent)
{
	char printed[256];
	assert_int_equal(child_that_requires(1, printed, sizeof printed), 0);
	assert_string_equal(printed, "");
}

TEST(a_broken_requirement_ends_the_process_and_names_itself)
{
#ifdef STMLOG_CHECKS
	char printed[256];
	int status = child_that_requires(0, printed, sizeof printed);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	assert_non_null(strstr(printed, "check_test.c:"));
	assert_non_null(strstr(printed, "requires condition == 1"));
#else
	skip();
#endif
}

/* In a build without STMLOG_CHECKS, too. */
TEST(what_is_too_long_for_the_line_is_cut)
{
	int ends[2], status;
	char printed[2000], text[1000];
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		signal(SIGABRT, SIG_DFL);
		check_failed("file.c", 7, text);
	}
	close(ends[1]);
	ssize_t len = read(ends[0], printed, sizeof printed);
	close(ends[0]);
	status = child_end(child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
	assert_int_equal(len, 511);
	assert_memory_equal(printed, "stmlog: file.c:7: xxx", 21);
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

static void copy_nothing(void)
{
	static struct interned copies;
	interned_add(&copies, NULL, "x", 2);
}

TEST(a_function_of_this_folder_is_checked)
{
	child_is_stopped(copy_nothing, "interned.c");
}

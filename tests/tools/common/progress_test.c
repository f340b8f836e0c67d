/* SPDX-License-Identifier: MIT
 * Progress is shown to somebody who waits at a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "progress.h"

static int terminal, user, real_stderr; /* a terminal's two ends; the user reads what is shown */
static FILE *out;

/* Fails where /dev/pts is not mounted. */
static bool open_terminal(void)
{
	user = posix_openpt(O_RDWR | O_NOCTTY);
	if (user < 0 || grantpt(user) != 0 || unlockpt(user) != 0)
		return false;
	terminal = open(ptsname(user), O_RDWR | O_NOCTTY);
	return terminal >= 0;
}

static void close_terminal(void)
{
	close(terminal);
	close(user);
}

static int setup(void **state)
{
	(void)state;
	assert_true(open_terminal());
	real_stderr = dup(STDERR_FILENO);
	assert_true(dup2(terminal, STDERR_FILENO) >= 0);
	out = tmpfile();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	dup2(real_stderr, STDERR_FILENO);
	close(real_stderr);
	close_terminal();
	return fclose(out);
}

static void expect_shown(const char *expected)
{
	char text[256] = "";
	ssize_t got;
	fcntl(user, F_SETFL, O_NONBLOCK);
	for (size_t len = 0; (got = read(user, text + len, sizeof text - 1 - len)) > 0;)
		len += (size_t)got;
	assert_string_equal(text, expected);
}

static void it_changes_with_each_percent_and_goes_at_the_end(void **state)
{
	(void)state;
	struct progress progress = progress_begin("work", 1000, out);
	for (size_t done = 0; done <= 25; done++)
		progress_step(&progress, done);
	expect_shown("\rwork: 0 %\rwork: 1 %\rwork: 2 %");
	progress_end(&progress);
	expect_shown("\r\033[K");
}

static void nothing_that_is_not_there_goes(void **state)
{
	(void)state;
	struct progress progress = progress_begin("work", 0, out);
	progress_step(&progress, 0);
	progress_end(&progress);
	progress_step(NULL, 1);
	progress_end(NULL);
	expect_shown("");
}

static void it_does_not_come_between_the_lines_of_output(void **state)
{
	(void)state;
	FILE *same = fdopen(dup(terminal), "w");
	struct progress progress = progress_begin("work", 10, same);
	progress_step(&progress, 5);
	progress_end(&progress);
	fclose(same);
	expect_shown("");
}

static void it_is_no_text_for_a_file(void **state)
{
	(void)state;
	assert_true(dup2(fileno(out), STDERR_FILENO) >= 0);
	struct progress progress = progress_begin("work", 10, out);
	progress_step(&progress, 5);
	progress_end(&progress);
	assert_int_equal(lseek(fileno(out), 0, SEEK_END), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(it_changes_with_each_percent_and_goes_at_the_end),
		CASE(nothing_that_is_not_there_goes),
		CASE(it_does_not_come_between_the_lines_of_output),
		CASE(it_is_no_text_for_a_file),
	};
	if (!open_terminal()) {
		puts("no terminal to be had: is /dev/pts mounted?");
		return 77;
	}
	close_terminal();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

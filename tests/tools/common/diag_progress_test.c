/* SPDX-License-Identifier: MIT
 * Progress is shown to somebody who waits at a terminal. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "test.h"

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

static void set_up(void)
{
	assert_true(open_terminal());
	real_stderr = dup(STDERR_FILENO);
	assert_true(dup2(terminal, STDERR_FILENO) >= 0);
	out = tmpfile();
}

static void tear_down(void)
{
	dup2(real_stderr, STDERR_FILENO);
	close(real_stderr);
	close_terminal();
	assert_int_equal(fclose(out), 0);
}

static const struct test_fixture fixture = {set_up, tear_down};

static void expect_shown(const char *expected)
{
	char text[256] = "";
	ssize_t got;
	fcntl(user, F_SETFL, O_NONBLOCK);
	for (size_t len = 0; (got = read(user, text + len, sizeof text - 1 - len)) > 0;)
		len += (size_t)got;
	assert_string_equal(text, expected);
}

TEST_WITH(fixture, it_changes_with_each_percent_and_goes_at_the_end)
{
	struct progress progress = progress_begin("work", 1000, out);
	for (size_t done = 0; done <= 25; done++)
		progress_step(&progress, done);
	expect_shown("\rwork: 0 %\rwork: 1 %\rwork: 2 %");
	progress_end(&progress);
	expect_shown("\r\033[K");
}

TEST_WITH(fixture, nothing_that_is_not_there_goes)
{
	struct progress progress = progress_begin("work", 0, out);
	progress_step(&progress, 0);
	progress_end(&progress);
	progress_step(NULL, 1);
	progress_end(NULL);
	expect_shown("");
}

TEST_WITH(fixture, it_does_not_come_between_the_lines_of_output)
{
	FILE *same = fdopen(dup(terminal), "w");
	struct progress progress = progress_begin("work", 10, same);
	progress_step(&progress, 5);
	progress_end(&progress);
	fclose(same);
	expect_shown("");
}

TEST_WITH(fixture, it_is_no_text_for_a_file)
{
	assert_true(dup2(fileno(out), STDERR_FILENO) >= 0);
	struct progress progress = progress_begin("work", 10, out);
	progress_step(&progress, 5);
	progress_end(&progress);
	assert_int_equal(lseek(fileno(out), 0, SEEK_END), 0);
}

static void skip_without_terminal(void)
{
	if (!open_terminal()) {
		puts("no terminal to be had: is /dev/pts mounted?");
		exit(77);
	}
	close_terminal();
}

static const struct test_fixture terminal_fixture = {skip_without_terminal, NULL};

GROUP_WITH(terminal_fixture);

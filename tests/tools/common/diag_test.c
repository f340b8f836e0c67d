/* SPDX-License-Identifier: MIT
 * Error messages are single lines, and output that is lost is an error. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture_stderr.h"
#include "diag.h"
#include "child.h"
#include "test.h"

static char told[8192];

TEST(a_message_is_one_line_however_long_and_whatever_is_in_it)
{
	static char subject[8000];
	memset(subject, 's', sizeof subject - 1);
	subject[1] = '\n';
	capture_stderr_begin();
	diag(subject, "is %s", "text\033[31m");
	capture_stderr_end(told, sizeof told);
	assert_non_null(strstr(told, "is text?[31m\n"));
	assert_ptr_equal(strchr(told, '\n'), told + strlen(told) - 1);
	assert_true(strlen(told) < 4200);
}

static void cannot_write(void)
{
	if (freopen("/dev/full", "w", stdout) == NULL)
		_exit(51);
	puts("text");
	_exit(diag_finish_stdout(STATUS_DONE));
}

static void writes(void)
{
	if (freopen("/dev/null", "w", stdout) == NULL)
		_exit(51);
	puts("text");
	_exit(diag_finish_stdout(STATUS_DONE));
}

TEST(output_that_is_lost_is_an_error)
{
	assert_int_equal(child_tells(cannot_write, told, sizeof told), STATUS_UNUSABLE);
	assert_string_equal(told, "stmlog: cannot write to stdout: No space left on device\n");
	assert_int_equal(child_tells(writes, told, sizeof told), STATUS_DONE);
	assert_string_equal(told, "");
}

/* SPDX-License-Identifier: MIT
 * Which file descriptor 2 is. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture_stderr.h"
#include "standard_error.h"
#include "test.h"

static int real;

static void set_up(void)
{
	real = dup(STDERR_FILENO);
	assert_true(real > STDERR_FILENO);
}

static void tear_down(void)
{
	assert_int_equal(dup2(real, STDERR_FILENO), STDERR_FILENO);
	close(real);
}

static const struct test_fixture fixture = {set_up, tear_down};

/* Descriptor 2 becomes a file of the program's. Returns what standard_error() says of it. */
static int with_file(int flags)
{
	char path[] = "/tmp/stmlog-stderr-XXXXXX";
	int made = mkstemp(path), file = open(path, flags);
	assert_true(made >= 0 && file >= 0);
	assert_int_equal(dup2(file, STDERR_FILENO), STDERR_FILENO);
	close(file);
	close(made);
	unlink(path);
	return standard_error();
}

TEST_WITH(fixture, it_is_2_when_the_library_is_loaded)
{
	assert_int_equal(standard_error(), STDERR_FILENO);
}

TEST_WITH(fixture, it_is_nothing_once_it_is_a_file_of_the_programs)
{
	assert_int_equal(with_file(O_RDWR), -1);
	assert_int_equal(with_file(O_WRONLY), -1);
	assert_int_equal(with_file(O_RDWR | O_APPEND), -1);
}

TEST_WITH(fixture, a_log_is_written_to)
{
	assert_int_equal(with_file(O_WRONLY | O_APPEND), STDERR_FILENO);
}

TEST_WITH(fixture, it_is_nothing_while_it_is_closed_and_2_again_afterwards)
{
	close(STDERR_FILENO);
	errno = ERANGE;
	assert_int_equal(standard_error(), -1);
	assert_int_equal(errno, ERANGE);
	assert_int_equal(dup2(real, STDERR_FILENO), STDERR_FILENO);
	assert_int_equal(standard_error(), STDERR_FILENO);
}

TEST(a_line_has_all_its_texts)
{
	char told[64];
	capture_stderr_begin();
	standard_error_tell("one", NULL);
	standard_error_tell("a", "", "bc", NULL);
	capture_stderr_end(told, sizeof told);
	assert_string_equal(told, "stmlog: one\nstmlog: abc\n");
}

/* SPDX-License-Identifier: MIT
 * Which file descriptor 2 is. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "standard_error.h"

static int real;

static int setup(void **state)
{
	(void)state;
	real = dup(STDERR_FILENO);
	assert_true(real > STDERR_FILENO);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(dup2(real, STDERR_FILENO), STDERR_FILENO);
	close(real);
	return 0;
}

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

static void it_is_2_when_the_library_is_loaded(void **state)
{
	(void)state;
	assert_int_equal(standard_error(), STDERR_FILENO);
}

static void it_is_nothing_once_it_is_a_file_of_the_programs(void **state)
{
	(void)state;
	assert_int_equal(with_file(O_RDWR), -1);
	assert_int_equal(with_file(O_WRONLY), -1);
	assert_int_equal(with_file(O_RDWR | O_APPEND), -1);
}

static void a_log_is_written_to(void **state)
{
	(void)state;
	assert_int_equal(with_file(O_WRONLY | O_APPEND), STDERR_FILENO);
}

static void it_is_nothing_while_it_is_closed_and_2_again_afterwards(void **state)
{
	(void)state;
	close(STDERR_FILENO);
	errno = ERANGE;
	assert_int_equal(standard_error(), -1);
	assert_int_equal(errno, ERANGE);
	assert_int_equal(dup2(real, STDERR_FILENO), STDERR_FILENO);
	assert_int_equal(standard_error(), STDERR_FILENO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_is_2_when_the_library_is_loaded, setup, teardown),
		cmocka_unit_test_setup_teardown(it_is_nothing_once_it_is_a_file_of_the_programs, setup, teardown),
		cmocka_unit_test_setup_teardown(a_log_is_written_to, setup, teardown),
		cmocka_unit_test_setup_teardown(
			it_is_nothing_while_it_is_closed_and_2_again_afterwards, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

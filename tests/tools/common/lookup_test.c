/* SPDX-License-Identifier: MIT
 * Programs are found as execvp() finds them, and what belongs to the command beside it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lookup.h"
#include "recording_writer.h"
#include "temp_dir.h"

static char found[PATH_MAX];

static const char *put(void **state, const char *name, mode_t mode)
{
	const char *path = temp_dir_path(state, name);
	writer_save_bytes("x", 1, path);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static int setup(void **state)
{
	unsetenv("PATH");
	return temp_dir_setup(state);
}

static void a_path_is_taken_as_it_is(void **state)
{
	const char *path = put(state, "program", 0644);
	assert_true(lookup_program(path, found));
	assert_string_equal(found, path);
	assert_false(lookup_program(*state, found));
	assert_false(lookup_program("/nowhere/at/all", found));
}

static void a_name_is_looked_for_in_each_directory_of_the_path(void **state)
{
	char search[1200];
	mkdir(temp_dir_path(state, "a"), 0700);
	mkdir(temp_dir_path(state, "b"), 0700);
	put(state, "a/no-program", 0644);
	const char *in_b = put(state, "b/no-program", 0755);
	snprintf(search, sizeof search, "/nowhere:%s:%s", temp_dir_path(state, "a"), temp_dir_path(state, "b"));
	setenv("PATH", search, 1);
	assert_true(lookup_program("no-program", found));
	assert_string_equal(found, in_b);
	assert_false(lookup_program("stmlog-no-such-program", found));
}

static void an_empty_part_of_the_path_is_the_current_directory(void **state)
{
	put(state, "program", 0755);
	assert_int_equal(chdir(*state), 0);
	setenv("PATH", "/nowhere::/nowhere", 1);
	assert_true(lookup_program("program", found));
	assert_string_equal(found, "program");
	setenv("PATH", "", 1);
	assert_false(lookup_program("program", found));
	assert_int_equal(chdir("/"), 0);
}

static void without_a_path_the_systems_directories_are_searched(void **state)
{
	(void)state;
	assert_true(lookup_program("sh", found));
	assert_string_equal(found, "/bin/sh");
}

static void names_that_are_too_long_are_not_found(void **state)
{
	static char longest[2 * PATH_MAX];
	memset(longest, 'x', sizeof longest - 1);
	(void)state;
	assert_false(lookup_program(longest, found));
	setenv("PATH", "/bin", 1);
	assert_false(lookup_program(longest, found));
	longest[0] = '/';
	assert_false(lookup_program(longest, found));
}

static void a_file_beside_the_command_is_found(void **state)
{
	(void)state;
	char *path = lookup_beside("lookup_test");
	assert_non_null(path);
	assert_int_equal(path[0], '/');
	free(path);
	assert_null(lookup_beside("stmlog-no-such-file"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, temp_dir_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_path_is_taken_as_it_is),
		CASE(a_name_is_looked_for_in_each_directory_of_the_path),
		CASE(an_empty_part_of_the_path_is_the_current_directory),
		CASE(without_a_path_the_systems_directories_are_searched),
		CASE(names_that_are_too_long_are_not_found),
		CASE(a_file_beside_the_command_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

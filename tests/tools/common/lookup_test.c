/* SPDX-License-Identifier: MIT
 * Programs are found as execvp() finds them, and what belongs to the command beside it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lookup.h"
#include "recording_writer.h"
#include "temp_dir.h"
#include "test.h"

static char found[PATH_MAX];

static const char *put(const char *name, mode_t mode)
{
	const char *path = temp_dir_path(name);
	writer_save_bytes("x", 1, path);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

static void set_up(void)
{
	unsetenv("PATH");
	temp_dir_set_up();
}

static const struct test_fixture fixture = {set_up, temp_dir_tear_down};

TEST_WITH(fixture, a_path_is_taken_as_it_is)
{
	const char *path = put("program", 0644);
	assert_true(lookup_program(path, found));
	assert_string_equal(found, path);
	assert_false(lookup_program(temp_dir, found));
	assert_false(lookup_program("/nowhere/at/all", found));
}

TEST_WITH(fixture, a_name_is_looked_for_in_each_directory_of_the_path)
{
	char search[1200];
	mkdir(temp_dir_path("a"), 0700);
	mkdir(temp_dir_path("b"), 0700);
	put("a/no-program", 0644);
	const char *in_b = put("b/no-program", 0755);
	snprintf(search, sizeof search, "/nowhere:%s:%s", temp_dir_path("a"), temp_dir_path("b"));
	setenv("PATH", search, 1);
	assert_true(lookup_program("no-program", found));
	assert_string_equal(found, in_b);
	assert_false(lookup_program("stmlog-no-such-program", found));
}

TEST_WITH(fixture, an_empty_part_of_the_path_is_the_current_directory)
{
	put("program", 0755);
	assert_int_equal(chdir(temp_dir), 0);
	setenv("PATH", "/nowhere::/nowhere", 1);
	assert_true(lookup_program("program", found));
	assert_string_equal(found, "program");
	setenv("PATH", "", 1);
	assert_false(lookup_program("program", found));
	assert_int_equal(chdir("/"), 0);
}

TEST_WITH(fixture, without_a_path_the_systems_directories_are_searched)
{
	assert_true(lookup_program("sh", found));
	assert_string_equal(found, "/bin/sh");
}

TEST_WITH(fixture, names_that_are_too_long_are_not_found)
{
	static char longest[2 * PATH_MAX];
	memset(longest, 'x', sizeof longest - 1);
	assert_false(lookup_program(longest, found));
	setenv("PATH", "/bin", 1);
	assert_false(lookup_program(longest, found));
	longest[0] = '/';
	assert_false(lookup_program(longest, found));
}

TEST_WITH(fixture, a_file_beside_the_command_is_found)
{
	char *path = lookup_beside("lookup_test");
	assert_non_null(path);
	assert_int_equal(path[0], '/');
	free(path);
	assert_null(lookup_beside("stmlog-no-such-file"));
}

/* SPDX-License-Identifier: MIT
 * Paths of outputs: patterns, and files that others have written meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture_stderr.h"
#include "life.h"
#include "session.h"
#include "temp_dir.h"
#include "test.h"

static char path[PATH_MAX];
static char told[1024];

static void set_up(void)
{
	memset(&session, 0, sizeof session);
	session.pid = 42;
	temp_dir_set_up();
}

static void tear_down(void)
{
	assert_int_equal(chdir("/"), 0);
	temp_dir_tear_down();
}

static const struct test_fixture fixture = {set_up, tear_down};

static int choose(struct destination *destination)
{
	capture_stderr_begin();
	int error = destination_choose(destination, path);
	capture_stderr_end(told, sizeof told);
	return error;
}

static void expect(const char *pattern, const char *expected)
{
	struct destination destination = {.option = "out", .pattern = pattern};
	assert_int_equal(choose(&destination), 0);
	assert_string_equal(path, expected);
}

TEST_WITH(fixture, patterns_have_the_pid_the_name_and_percent_signs)
{
	char *name = program_invocation_short_name;
	program_invocation_short_name = (char[]){"bank"};
	expect("/nowhere/%n.%p", "/nowhere/bank.42");
	session.serial = 7;
	expect("/nowhere/%p-%s", "/nowhere/42-7");
	expect("/nowhere/100%%", "/nowhere/100%");
	expect("/nowhere/%x%", "/nowhere/x%");
	expect("/nowhere/plain", "/nowhere/plain");
	program_invocation_short_name = name;
}

TEST_WITH(fixture, the_programs_name_leads_to_no_other_directory)
{
	static char names[][8] = {"", ".", "..", "...", "a\033b\n"};
	static const char *const expected[] = {
		"/nowhere/_", "/nowhere/_", "/nowhere/_", "/nowhere/...", "/nowhere/a?b?"};
	char *name = program_invocation_short_name;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		program_invocation_short_name = names[i];
		expect("/nowhere/%n", expected[i]);
	}
	program_invocation_short_name = name;
}

TEST_WITH(fixture, relative_paths_begin_where_the_session_began)
{
	char expected[512];
	assert_int_equal(chdir(temp_dir), 0);
	destination_remember_directory();
	assert_int_equal(chdir("/"), 0);
	snprintf(expected, sizeof expected, "%s/x.42", temp_dir);
	expect("x.%p", expected);
}

TEST_WITH(fixture, in_a_directory_that_is_gone_relative_paths_stay_relative)
{
	const char *gone = temp_dir_path("gone");
	assert_int_equal(mkdir(gone, 0700), 0);
	assert_int_equal(chdir(gone), 0);
	assert_int_equal(rmdir(gone), 0);
	destination_remember_directory();
	expect("x", "x");
}

TEST_WITH(fixture, a_forked_child_and_a_program_after_exec_get_paths_of_their_own)
{
	session.generation = 3;
	expect("/nowhere/x", "/nowhere/x.3");
	session.is_forked = true;
	expect("/nowhere/x", "/nowhere/x.42.3");
	expect("/nowhere/x.%p", "/nowhere/x.42.3");
	session.generation = 0;
	expect("/nowhere/x", "/nowhere/x.42");
	expect("/nowhere/x.%p", "/nowhere/x.42");
}

/* A recorder that still takes recordings has a directory, even if this process does not see it. */
TEST_WITH(fixture, the_late_path_is_used_only_when_the_recorder_has_ended_and_replaces_nothing)
{
	struct stmlog_board made = {.magic = STMLOG_BOARD_MAGIC};
	char options[1200], expected[600];
	snprintf(options, sizeof options, "board=%s", temp_dir_path("board"));
	options_parse(&session.run, options);
	snprintf(expected, sizeof expected, "%s", temp_dir_path("late"));
	for (made.is_over = 0; made.is_over < 2; made.is_over++) {
		struct destination destination = {.option = "out", .pattern = "/nowhere/x", .late = expected};
		int file = open(temp_dir_path("board"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
		assert_int_equal(write(file, &made, sizeof made), sizeof made);
		close(file);
		board_open();
		assert_int_equal(choose(&destination), made.is_over ? 0 : -ENOENT);
	}
	assert_string_equal(path, expected);
	close(open(expected, O_WRONLY | O_CREAT, 0600));
	session.began_unix_ns = UINT64_MAX;
	struct destination destination = {.option = "out", .pattern = "/nowhere/x", .late = expected};
	assert_int_equal(choose(&destination), 0);
	strcat(expected, ".2");
	assert_string_equal(path, expected);
	options_forget(&session.run);
	board_open();
}

/* "/xxx...", of so many characters; owned. */
static char *pattern_of(size_t len)
{
	char *pattern = malloc(len + 1);
	assert_non_null(pattern);
	memset(pattern, 'x', len);
	pattern[0] = '/';
	pattern[len] = '\0';
	return pattern;
}

TEST_WITH(fixture, a_path_that_gets_too_long_is_an_error)
{
	OWNED(owned_free) char *too_long = pattern_of(PATH_MAX), *longest = pattern_of(PATH_MAX - 1);
	assert_int_equal(choose(&(struct destination){.pattern = too_long}), -ENAMETOOLONG);
	expect(longest, longest);
	session.is_forked = true;
	assert_int_equal(choose(&(struct destination){.pattern = longest}), -ENAMETOOLONG);
	session.is_forked = false;
	session.generation = 1;
	assert_int_equal(choose(&(struct destination){.pattern = longest}), -ENAMETOOLONG);
}

/* ---- files that are there ---- */

static void put(const char *at)
{
	FILE *file = fopen(at, "w");
	assert_non_null(file);
	fclose(file);
}

TEST_WITH(fixture, a_file_from_before_the_session_is_replaced)
{
	const char *file = temp_dir_path("file");
	put(file);
	session.began_unix_ns = UINT64_MAX;
	expect(file, file);
	assert_string_equal(told, "");
}

TEST_WITH(fixture, a_file_that_another_has_written_since_is_left_alone)
{
	const char *file = temp_dir_path("file");
	put(file);
	expect(file, temp_dir_path("file.2"));
	assert_non_null(strstr(told, "file.2 is where the output is"));
	put(path);
	expect(file, temp_dir_path("file.3"));
}

TEST_WITH(fixture, the_own_file_is_replaced_by_the_next_output)
{
	const char *file = temp_dir_path("file");
	struct destination destination = {.option = "out", .pattern = file};
	put(file);
	destination_wrote(&destination, file);
	assert_int_equal(choose(&destination), 0);
	assert_string_equal(path, file);
	assert_string_equal(told, "");
}

TEST_WITH(fixture, of_an_output_beside_the_file_of_another_it_is_said_once)
{
	const char *file = temp_dir_path("file"), *second = temp_dir_path("file.2");
	struct destination destination = {.option = "out", .pattern = file};
	put(file);
	assert_int_equal(choose(&destination), 0);
	put(second);
	destination_wrote(&destination, second);
	assert_int_equal(choose(&destination), 0);
	assert_string_equal(path, second);
	assert_string_equal(told, "");
}

TEST_WITH(fixture, only_regular_files_are_somebodys)
{
	const char *fifo = temp_dir_path("fifo");
	struct destination destination = {.option = "out", .pattern = fifo};
	assert_int_equal(mkfifo(fifo, 0600), 0);
	destination_wrote(&destination, fifo);
	destination_wrote(&destination, "/nowhere/at/all");
	assert_int_equal(destination.inode, 0);
	expect(fifo, fifo);
}

TEST_WITH(fixture, after_a_thousand_files_of_others_it_is_an_error)
{
	char other[512];
	const char *file = temp_dir_path("file");
	put(file);
	for (int n = 2; n <= 1000; n++) {
		snprintf(other, sizeof other, "%s.%d", file, n);
		put(other);
	}
	assert_int_equal(choose(&(struct destination){.pattern = file}), -EEXIST);
	assert_int_equal(unlink(other), 0);
	expect(file, other);
}

/* Makes directories until a name of `left` characters is all that fits behind them; the path is in `path`. */
static void go_deep(const char *from, size_t left)
{
	size_t len = strlen(strcpy(path, from));
	while (len + 1 + left < PATH_MAX - 1) {
		size_t more = PATH_MAX - 1 - len - 1 - left;
		more = more > 200 ? 200 : more;
		if (more == 1) /* no room for a slash and a name */
			break;
		path[len] = '/';
		memset(path + len + 1, 'd', more - 1);
		path[len += more] = '\0';
		assert_int_equal(mkdir(path, 0700), 0);
	}
}

TEST_WITH(fixture, a_path_without_room_for_a_number_is_an_error_if_it_is_taken)
{
	char longest[PATH_MAX];
	go_deep(temp_dir, 10);
	size_t len = strlen(path);
	memcpy(longest, path, len);
	longest[len] = '/';
	memset(longest + len + 1, 'f', PATH_MAX - 2 - len);
	longest[PATH_MAX - 1] = '\0';
	expect(longest, longest);
	put(longest);
	assert_int_equal(choose(&(struct destination){.pattern = longest}), -ENAMETOOLONG);
}

/* ---- a directory of the recorder's ---- */

TEST_WITH(fixture, the_late_pattern_counts_once_the_directory_is_gone)
{
	const char *directory = temp_dir_path("directory"), *inside = temp_dir_path("directory/x");
	const char *late = temp_dir_path("late");
	struct destination destination = {.option = "out", .pattern = inside, .late = late};
	assert_int_equal(mkdir(directory, 0700), 0);
	assert_int_equal(choose(&destination), 0);
	put(path);
	destination_leave(&destination);
	assert_int_equal(unlink(inside), 0); /* it was there */
	assert_int_equal(rmdir(directory), 0);
	assert_int_equal(choose(&destination), 0);
	assert_string_equal(path, late);
	destination_leave(&destination);
}

static void say_directory(const char *directory)
{
	static char text[64];
	struct stat status;
	assert_int_equal(stat(directory, &status), 0);
	snprintf(text, sizeof text, "in=%ju.%ju", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
	options_parse(&session.run, text);
}

TEST_WITH(fixture, another_directory_in_its_place_is_as_good_as_none)
{
	const char *directory = temp_dir_path("directory"), *inside = temp_dir_path("directory/x");
	const char *late = "/somewhere/late", *away = temp_dir_path("away"), *put_at = temp_dir_path("away/x");
	struct destination destination = {.option = "out", .pattern = inside, .late = late};
	assert_int_equal(mkdir(directory, 0700), 0);
	say_directory(directory);
	assert_int_equal(choose(&destination), 0);
	assert_string_not_equal(path, late);
	assert_int_equal(rename(directory, away), 0);
	assert_int_equal(mkdir(directory, 0700), 0);
	put(path);
	destination_leave(&destination);
	assert_int_equal(unlink(put_at), 0); /* it was put where it was meant to be */
	assert_int_equal(choose(&destination), 0);
	assert_string_equal(path, late);
	assert_int_equal(rmdir(directory), 0);
	assert_int_equal(symlink("away", directory), 0);
	assert_int_equal(choose(&destination), 0);
	assert_string_equal(path, late); /* a link is none, wherever it leads */
	options_forget(&session.run);
}

TEST_WITH(fixture, the_root_and_the_current_directory_are_not_gone)
{
	struct destination destination = {.option = "out", .pattern = "/x", .late = "/late"};
	assert_int_equal(choose(&destination), 0);
	assert_string_equal(path, "/x");
	in_a_directory_that_is_gone_relative_paths_stay_relative();
	destination.pattern = "x";
	assert_int_equal(choose(&destination), 0);
	assert_string_equal(path, "x");
}

/* SPDX-License-Identifier: MIT
 * Output and exit status of the subcommand; verify_test.c has what a violation is. */
#include "ran_command.h"

#include "diag.h"
#include "recording_sample.h"
#include "temp_dir.h"

/* Runs `stmlog check FILE`, with stdout into `out` and stderr into `told`. */
static int check(const char *file)
{
	char name[] = "check", path[512];
	char *argv[] = {name, path, NULL};
	snprintf(path, sizeof path, "%s", file);
	return run_command(&cmd_check, 2, argv);
}

static const char *save(struct writer *writer)
{
	const char *path = temp_dir_path("recording");
	writer_save(writer, path);
	writer_fini(writer);
	return path;
}

TEST(a_right_file_is_one_line_and_status_0)
{
	struct writer writer;
	char expected[600];
	recording_sample(&writer);
	const char *path = save(&writer);
	assert_int_equal(check(path), STATUS_DONE);
	snprintf(expected, sizeof expected, "%s: ok\n", path);
	assert_string_equal(out, expected);
	assert_string_equal(told, "");
}

TEST(a_violation_is_a_line_on_stdout_and_status_1)
{
	struct writer writer;
	char expected[600];
	recording_sample(&writer);
	writer_thread(&writer, &(struct stmlog_thread_record){.id = 3, .attached_ns = 5});
	const char *path = save(&writer);
	assert_int_equal(check(path), STATUS_VIOLATION);
	snprintf(expected, sizeof expected, "%s: thread 3: its accounts miss its attached time by 5 ns\n", path);
	assert_string_equal(out, expected);
	assert_string_equal(told, "");
}

TEST(a_flood_of_violations_is_cut)
{
	struct writer writer;
	recording_sample(&writer);
	for (uint32_t i = 0; i < 30; i++)
		writer_thread(&writer, &(struct stmlog_thread_record){.id = 3 + i, .attached_ns = 5});
	assert_int_equal(check(save(&writer)), STATUS_VIOLATION);
	size_t lines = 0;
	for (const char *at = out; (at = strchr(at, '\n')) != NULL; at++)
		lines++;
	assert_int_equal(lines, 21);
	assert_non_null(strstr(out, "... and 10 more\n"));
}

TEST(a_file_that_cannot_be_read_is_status_2)
{
	assert_int_equal(check(temp_dir_path("absent")), STATUS_UNUSABLE);
	assert_string_equal(out, "");
	assert_non_null(strstr(told, "cannot be opened"));
}

GROUP_WITH(temp_dir_fixture);

/* SPDX-License-Identifier: MIT
 * What the subcommand refuses, without leaving a file behind. */
#include "ran_command.h"

#include "diag.h"
#include "recording_sample.h"
#include "temp_dir.h"
#include "timeline_text.h"

/* Runs `stmlog export --format=FORMAT -o OUT FILE`, with stderr into `told`. */
static int export_to(const char *format, const char *to, const char *file)
{
	char name[] = "export", wish[64], output[] = "-o", target[512], path[512];
	char *argv[] = {name, wish, output, target, path, NULL};
	snprintf(wish, sizeof wish, "--format=%s", format);
	snprintf(target, sizeof target, "%s", to);
	snprintf(path, sizeof path, "%s", file);
	return run_command(&cmd_export, 5, argv);
}

/* Saves what the writer holds, and exports it. */
static int export_written(void **state, struct writer *writer, const char *format)
{
	writer_save(writer, temp_dir_path(state, "recording"));
	writer_fini(writer);
	return export_to(format, temp_dir_path(state, "out"), temp_dir_path(state, "recording"));
}

static const char *const both[] = {"text", "json"};

/* By the first of so many formats. */
static void expect_refusal(void **state, struct writer *writer, size_t formats, const char *expected)
{
	char line[600];
	writer_save(writer, temp_dir_path(state, "recording"));
	writer_fini(writer);
	snprintf(line, sizeof line, "stmlog: %s: %s\n", temp_dir_path(state, "recording"), expected);
	for (size_t i = 0; i < formats; i++) {
		const char *to = temp_dir_path(state, "out");
		assert_int_equal(export_to(both[i], to, temp_dir_path(state, "recording")), STATUS_UNUSABLE);
		assert_string_equal(told, line);
		assert_int_not_equal(access(to, F_OK), 0);
	}
}

static void a_timeline_that_cannot_be_is_one_line_and_no_file(void **state)
{
	struct writer writer;
	timeline_text(&writer, 1, "1 1 start\n2 1 start\n");
	expect_refusal(state, &writer, 2,
		"has a timeline that contradicts itself: event 2, 'start' of thread 1: an attempt is under way "
		"already");
	timeline_text(&writer, 2, "1 1 task-start 7\n2 2 task-start 7\n");
	expect_refusal(state, &writer, 2,
		"has a timeline that contradicts itself: event 3, 'task-start' of thread 2: a thread works on the task "
		"already");
	recording_sample(&writer);
	expect_refusal(state, &writer, 1, "has no timeline; 'stmlog record --timeline' keeps one");
}

static void json_needs_no_timeline(void **state)
{
	struct writer writer;
	recording_sample(&writer);
	assert_int_equal(export_written(state, &writer, "json"), STATUS_DONE);
	assert_string_equal(told, "");
	assert_int_equal(access(temp_dir_path(state, "out"), F_OK), 0);
}

static void a_timeline_that_can_be_is_written(void **state)
{
	struct writer writer;
	timeline_text(&writer, 1, "1 1 task-start 7\n");
	assert_int_equal(export_written(state, &writer, "json"), STATUS_DONE);
	assert_string_equal(told, "");
	assert_int_equal(access(temp_dir_path(state, "out"), F_OK), 0);
}

static void losses_are_written_without_a_timeline(void **state)
{
	static const char *const formats[] = {"pprof", "folded", "speedscope"};
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		struct writer writer;
		recording_sample(&writer);
		assert_int_equal(export_written(state, &writer, formats[i]), STATUS_DONE);
		assert_string_equal(told, "");
		assert_int_equal(unlink(temp_dir_path(state, "out")), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_timeline_that_cannot_be_is_one_line_and_no_file, temp_dir_setup, temp_dir_teardown),
		cmocka_unit_test_setup_teardown(json_needs_no_timeline, temp_dir_setup, temp_dir_teardown),
		cmocka_unit_test_setup_teardown(a_timeline_that_can_be_is_written, temp_dir_setup, temp_dir_teardown),
		cmocka_unit_test_setup_teardown(
			losses_are_written_without_a_timeline, temp_dir_setup, temp_dir_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

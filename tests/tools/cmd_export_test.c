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
static int export_written(struct writer *writer, const char *format)
{
	writer_save(writer, temp_dir_path("recording"));
	writer_fini(writer);
	return export_to(format, temp_dir_path("out"), temp_dir_path("recording"));
}

static const char *const both[] = {"text", "json"};

/* By the first of so many formats. */
static void expect_refusal(struct writer *writer, size_t formats, const char *expected)
{
	char line[600];
	writer_save(writer, temp_dir_path("recording"));
	writer_fini(writer);
	snprintf(line, sizeof line, "stmlog: %s: %s\n", temp_dir_path("recording"), expected);
	for (size_t i = 0; i < formats; i++) {
		const char *to = temp_dir_path("out");
		assert_int_equal(export_to(both[i], to, temp_dir_path("recording")), STATUS_UNUSABLE);
		assert_string_equal(told, line);
		assert_int_not_equal(access(to, F_OK), 0);
	}
}

TEST_WITH(temp_dir_fixture, a_timeline_that_cannot_be_is_one_line_and_no_file)
{
	struct writer writer;
	timeline_text(&writer, 1, "1 1 start\n2 1 start\n");
	expect_refusal(&writer, 2,
		"has a timeline that contradicts itself: event 2, 'start' of thread 1: an attempt is under way "
		"already");
	timeline_text(&writer, 2, "1 1 task-start 7\n2 2 task-start 7\n");
	expect_refusal(&writer, 2,
		"has a timeline that contradicts itself: event 3, 'task-start' of thread 2: a thread works on the task "
		"already");
	recording_sample(&writer);
	expect_refusal(&writer, 1, "has no timeline; 'stmlog record --timeline' keeps one");
}

TEST_WITH(temp_dir_fixture, json_needs_no_timeline)
{
	struct writer writer;
	recording_sample(&writer);
	assert_int_equal(export_written(&writer, "json"), STATUS_DONE);
	assert_string_equal(told, "");
	assert_int_equal(access(temp_dir_path("out"), F_OK), 0);
}

TEST_WITH(temp_dir_fixture, a_timeline_that_can_be_is_written)
{
	struct writer writer;
	timeline_text(&writer, 1, "1 1 task-start 7\n");
	assert_int_equal(export_written(&writer, "json"), STATUS_DONE);
	assert_string_equal(told, "");
	assert_int_equal(access(temp_dir_path("out"), F_OK), 0);
}

TEST_WITH(temp_dir_fixture, losses_are_written_without_a_timeline)
{
	static const char *const formats[] = {"pprof", "folded"};
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
		struct writer writer;
		recording_sample(&writer);
		assert_int_equal(export_written(&writer, formats[i]), STATUS_DONE);
		assert_string_equal(told, "");
		assert_int_equal(unlink(temp_dir_path("out")), 0);
	}
}

TEST_WITH(temp_dir_fixture, a_graph_needs_tasks)
{
	struct writer writer;
	char line[600];
	snprintf(line, sizeof line,
		"stmlog: %s: has no tasks; a program tells of its tasks by the functions of stmlog/timeline.h\n",
		temp_dir_path("recording"));
	timeline_text(&writer, 1, "1 1 task-create 7\n2 1 start\n3 1 commit\n");
	assert_int_equal(export_written(&writer, "graph"), STATUS_UNUSABLE);
	assert_string_equal(told, line);
	assert_int_not_equal(access(temp_dir_path("out"), F_OK), 0);
	timeline_text(&writer, 1, "1 1 task-start 7\n");
	assert_int_equal(export_written(&writer, "graph"), STATUS_DONE);
}

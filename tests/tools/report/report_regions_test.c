/* SPDX-License-Identifier: MIT
 * What a report says of tasks and regions, and that it says nothing where there are none. */
#include "loaded.h"

#include <jansson.h>

#include "recording_sample.h"
#include "timeline_text.h"

static struct writer writer;

static char *made(size_t top, void (*make)(const struct report *report))
{
	OWNED(recording_fini) struct recording recording;
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	char *text = printed_report(&recording, (struct report_options){.top = top}, make);
	return text;
}

static void expect_work(const char *expected)
{
	OWNED(owned_free) char *text = made(REPORT_TOP_DEFAULT, report_work);
	assert_string_equal(text, expected);
}

static const char joined[] = "1000 1 task-start 1\n2000 1 region-begin 30 sort\n3000 1 task-create 2\n"
			     "4000 1 touch-pause 2\n5000 2 task-start 2\n6000 2 region-begin 9 swap\n"
			     "7000 2 region-end\n8000 2 task-end 2\n9000 1 touch-resume 2\n10000 1 region-end\n"
			     "11000 1 task-end 1\n";

TEST(tasks_are_a_line_and_regions_a_table)
{
	timeline_text(&writer, 2, joined);
	expect_work("\nTasks  2 in 3 segments: 8.0 us of work, longest chain 8.0 us, parallelism 1.0\n"
		    "Regions\n"
		    "tag   count  work  inclusive  exclusive  work per second\n"
		    "sort      1    30     6.0 us     5.0 us        5,000,000\n"
		    "swap      1     9     1.0 us     1.0 us        9,000,000\n");
}

TEST(each_is_shown_without_the_other)
{
	timeline_text(&writer, 1, "5 1 region-begin 3 a\n5 1 region-end\n");
	expect_work("\nRegions\n"
		    "tag  count  work\n"
		    "a        1     3\n");
	timeline_text(&writer, 1, "5 1 task-start 3\n5 1 task-end 3\n");
	expect_work("\nTasks  1 in 1 segment: 0 ns of work, longest chain 0 ns\n");
}

/* Racket's visualizer: totals by primitive. */
TEST(what_tasks_waited_for_is_a_table_if_they_were_blocked_or_have_said_why)
{
	timeline_text(&writer, 2,
		"1000 1 task-start 1\n2000 1 block-begin 1 allocate\n3000 2 handle-begin 1\n4000 2 handle-end 1\n"
		"6000 1 block-end 1\n7000 1 block-begin 1 allocate\n8000 1 block-end 1 - 2\n8000 1 task-suspend 1 "
		"memory\n"
		"9000 2 handle-begin 1\n9000 2 handle-end 1\n10000 1 task-resume 1\n11000 1 task-end 1\n");
	expect_work("\nTasks  1 in 5 segments: 4.0 us of work, longest chain 4.0 us, parallelism 1.0\n"
		    "tasks were  for       count    time  handled  abandoned\n"
		    "blocked     allocate      2  5.0 us   1.0 us          1\n"
		    "suspended   memory        1  2.0 us\n");
}

TEST(nothing_is_shown_where_there_is_nothing)
{
	timeline_text(&writer, 1, "5 1 start\n5 1 commit\n");
	expect_work("");
	recording_sample(&writer);
	expect_work("");
	timeline_text(&writer, 1, "5 1 start\n5 1 start\n");
	expect_work("");
}

TEST(a_timeline_that_cannot_be_is_told_instead)
{
	timeline_text(&writer, 2, "1 1 task-start 7\n2 2 task-start 7\n");
	expect_work("\nTasks and regions cannot be told: event 3, 'task-start' of thread 2: "
		    "a thread works on the task already\n");
}

TEST(of_many_tags_the_longest_are_shown)
{
	timeline_text(&writer, 1,
		"5 1 region-begin 3 a\n6 1 region-end\n7 1 region-begin 3 b\n9 1 region-end\n"
		"10 1 region-begin 3 c\n13 1 region-end\n");
	OWNED(owned_free) char *text = made(1, report_work);
	assert_non_null(strstr(text, "\nc "));
	assert_null(strstr(text, "\nb "));
	assert_non_null(strstr(text, "\n... 2 more (--full)\n"));
}

static char *made_by_region(void)
{
	OWNED(recording_fini) struct recording recording;
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	char *text = printed_report(
		&recording, (struct report_options){.by = REPORT_BY_REGION, .top = REPORT_ALL}, report_text);
	return text;
}

TEST(by_region_each_tag_has_work_times_speed_medians_and_spread)
{
	timeline_text(&writer, 1,
		"0 1 region-begin 6 sort\n10000 1 region-end\n20000 1 region-begin 6 sort\n60000 1 region-end\n"
		"70000 1 region-begin 6 sort\n90000 1 region-end\n90000 1 region-begin 0 rest\n95000 1 region-end\n");
	OWNED(owned_free) char *text = made_by_region();
	assert_non_null(strstr(text, "Regions\n"
				     "tag   count  work  inclusive  exclusive  work per second\n"
				     "sort      3    18    70.0 us    70.0 us          257,143\n"
				     "rest      1     0     5.0 us     5.0 us                0\n"
				     "\n"
				     "Each region: median and quartiles of those that have ended; speed is work per "
				     "second\n"
				     "tag   time p50      p25      p75  longest  speed p50      p25      p75\n"
				     "sort   20.0 us  15.0 us  30.0 us  40.0 us    300,000  225,000  450,000\n"
				     "rest    5.0 us   5.0 us   5.0 us   5.0 us\n"));
	assert_null(strstr(text, "lost:"));
	assert_null(strstr(strstr(text, "Regions\n") + 1, "Regions\n"));
}

TEST(by_region_a_program_without_regions_is_told_how_to_record_them)
{
	recording_sample(&writer);
	OWNED(owned_free) char *text = made_by_region();
	assert_non_null(strstr(text, "\nNo region was recorded: the program calls stmlog_region_begin() "));
}

TEST(the_memory_of_a_timeline_is_told_where_it_is_known)
{
	timeline_text(&writer, 1, "5 1 start\n6 1 commit\n");
	char *text = made_by_region();
	assert_null(strstr(text, "timeline: "));
	free(text);
	timeline_text(&writer, 1, "5 1 start\n6 1 commit\n");
	writer_info(&writer, "events_bytes=65536");
	text = made_by_region();
	assert_non_null(strstr(text, "\ntimeline: its events took 66 kB of the program's memory\n"));
	free(text);
}

static json_t *parsed(void)
{
	OWNED(owned_free) char *text = made(REPORT_ALL, report_json);
	json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(object);
	return object;
}

static void expect_member(const json_t *object, const char *name, const char *expected)
{
	json_t *value = json_object_get(object, name);
	OWNED(owned_free)
	char *text = value != NULL ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6)) : NULL;
	if (expected == NULL)
		assert_null(text);
	else
		assert_string_equal(text, expected);
}

/* The spread of one value, as JSON has it. */
#define SPREAD(value) \
	"{\"min\":" #value ",\"p25\":" #value ",\"median\":" #value ",\"p75\":" #value ",\"max\":" #value "}"

TEST(json_has_the_events_and_memory_of_a_timeline)
{
	timeline_text(&writer, 1, "5 1 start\n6 1 commit\n");
	writer_info(&writer, "events_bytes=65536");
	json_t *object = parsed();
	expect_member(object, "timeline", "{\"events\":3,\"bytes\":65536}");
	json_decref(object);
	recording_sample(&writer);
	object = parsed();
	expect_member(object, "timeline", NULL);
	json_decref(object);
}

TEST(json_has_both_as_members_where_there_are_any)
{
	timeline_text(&writer, 2, joined);
	json_t *object = parsed();
	expect_member(object, "tasks",
		"{\"count\":2,\"segments\":3,\"work_ns\":8000,\"longest_chain_ns\":8000,"
		"\"waits\":[{\"wait\":\"touch\",\"word\":\"\",\"count\":1,\"abandoned\":0,\"time_ns\":5000,\"handled_"
		"ns\":0}]}");
	expect_member(object, "regions",
		"[{\"tag\":\"sort\",\"count\":1,\"outermost\":1,\"work\":30,\"inclusive_ns\":6000,"
		"\"exclusive_ns\":5000,\"speed\":5e6,\"each_ns\":" SPREAD(6000.0) ",\"each_speed\":" SPREAD(
			5e6) "},"
			     "{\"tag\":\"swap\",\"count\":1,\"outermost\":1,\"work\":9,\"inclusive_ns\":1000,"
			     "\"exclusive_ns\":1000,\"speed\":9e6,\"each_ns\":" SPREAD(
				     1000.0) ",\"each_speed\":" SPREAD(9e6) "}]");
	json_decref(object);
	timeline_text(&writer, 1, "5 1 region-begin 3 a\n5 1 region-end\n");
	object = parsed();
	expect_member(object, "tasks", NULL);
	expect_member(object, "regions",
		"[{\"tag\":\"a\",\"count\":1,\"outermost\":1,\"work\":3,\"inclusive_ns\":0,\"exclusive_ns\":0,"
		"\"speed\":null,\"each_ns\":" SPREAD(0.0) ",\"each_speed\":" SPREAD(null) "}]");
	json_decref(object);
	timeline_text(&writer, 2, "1 1 task-start 7\n2 2 task-start 7\n");
	object = parsed();
	expect_member(object, "tasks", "null");
	expect_member(object, "regions", "null");
	json_decref(object);
}

/* SPDX-License-Identifier: MIT
 * Recordings as text and as JSON: no member of any event is lost. */
#include "exported.h"

#include <jansson.h>

#include "timeline_text.h"

static struct writer writer;

/* Each member has a value of its own. */
static const struct stmlog_event_record events[] = {
	{.time_ns = 1000000007, .thread = 7, .kind = STMLOG_EVENT_ATTACH},
	{.time_ns = 1000000007, .thread = 7, .place = 1, .kind = STMLOG_EVENT_START},
	{.time_ns = 1000000107,
		.argument = 99,
		.thread = 7,
		.other = 8,
		.place = 1,
		.kind = STMLOG_EVENT_ABORT,
		.reason = STMLOG_ABORTED_BY_OTHER,
		.contention = STMLOG_WRITE_READ,
		.detail = STMLOG_GRADE_CERTAIN},
	{.time_ns = 1000000108,
		.thread = 7,
		.kind = STMLOG_EVENT_WAIT_BEGIN,
		.reason = STMLOG_WAIT,
		.contention = STMLOG_NONE,
		.detail = STMLOG_WAIT_FOR_SYNCHRONISATION},
	{.time_ns = 3000000000, .argument = 5, .thread = 7, .place = 2, .other = 1, .kind = STMLOG_EVENT_MISSING},
};

static void write_events(const char *word)
{
	recording_sample(&writer);
	uint32_t site = writer_place(&writer, "transfer", "bank.c", 61);
	uint32_t traceback = writer_traceback(&writer, &site, 1, 0);
	writer_info(&writer, "began_ns=1000000000");
	writer_event_place(&writer, &(struct stmlog_place_record){0});
	writer_event_place(
		&writer, &(struct stmlog_place_record){.traceback = traceback, .word = writer_string(&writer, word)});
	for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
		writer_event(&writer, &events[i]);
}

TEST(text_has_a_line_per_event_and_the_places_below)
{
	write_events("READ");
	OWNED(owned_free) char *text = exported_text(&writer, "text");
	assert_string_equal(text,
		"0 0.000000007 7 attach\n"
		"1 0.000000007 7 start READ place=1\n"
		"2 0.000000107 7 abort aborted-by-other write-read certain other=8 argument=99 READ place=1\n"
		"3 0.000000108 7 wait-begin wait none synchronisation\n"
		"4 2.000000000 7 missing argument=5 until=6.294967298\n"
		"place 1\n"
		"  transfer bank.c:61\n");
}

static json_t *event_at(const json_t *object, size_t i)
{
	return json_array_get(json_object_get(object, "events"), i);
}

static long long number(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

static const char *word(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

TEST(json_has_all_members)
{
	write_events("READ");
	OWNED(owned_free) char *text = exported_text(&writer, "json");
	json_auto_t *object = json_loads(text, 0, NULL);
	assert_non_null(object);
	json_t *abort = event_at(object, 2), *missing = event_at(object, 4);
	assert_int_equal(json_array_size(json_object_get(object, "events")), 5);
	assert_int_equal(number(abort, "time_ns"), 1000000107);
	assert_int_equal(number(abort, "thread"), 7);
	assert_int_equal(number(abort, "other"), 8);
	assert_int_equal(number(abort, "argument"), 99);
	assert_int_equal(number(abort, "place"), 1);
	assert_string_equal(word(abort, "kind"), "abort");
	assert_string_equal(word(abort, "reason"), "aborted-by-other");
	assert_string_equal(word(abort, "contention"), "write-read");
	assert_string_equal(word(abort, "detail"), "certain");
	assert_int_equal(number(missing, "argument"), 5);
	assert_int_equal(number(missing, "latest_ns"), 3000000000 + (1ll << 32) + 2);
	json_t *place = json_array_get(json_object_get(object, "places"), 1);
	assert_string_equal(word(place, "word"), "READ");
	assert_int_equal(json_array_size(json_object_get(place, "frames")), 1);
}

TEST(json_has_the_method_and_commits_in_hardware)
{
	recording_sample_hardware(&writer);
	char *text = exported_text(&writer, "json");
	json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(object);
	assert_string_equal(word(object, "method"), "htm");
	assert_int_equal(number(object, "processors"), 2);
	json_t *hardware = json_object_get(object, "hardware");
	assert_int_equal(number(hardware, "commits"), 60622);
	assert_int_equal(number(hardware, "fallbacks"), 612);
	json_decref(object);
	free(text);
	recording_sample(&writer);
	text = exported_text(&writer, "json");
	object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_true(json_is_null(json_object_get(object, "method")));
	assert_true(json_is_null(json_object_get(object, "hardware")));
	json_decref(object);
	free(text);
}

TEST(words_of_any_bytes_are_valid_json_and_one_line)
{
	static const char bytes[] = "a\"b\\c\n\x1b[1m\xff\xc3";
	write_events(bytes);
	OWNED(owned_free) char *json = exported_text(&writer, "json");
	write_events(bytes);
	OWNED(owned_free) char *text = exported_text(&writer, "text");
	json_t *object = json_loads(json, 0, NULL);
	assert_non_null(object);
	json_decref(object);
	size_t lines = 0;
	for (const char *at = text; *at != '\0'; at++)
		lines += *at == '\n';
	assert_int_equal(lines, 7);
	assert_null(strchr(text, '\x1b'));
}

TEST(a_timeline_of_no_events_is_one)
{
	recording_sample(&writer);
	writer_append(&writer, STMLOG_SECTION_EVENTS, "", 0);
	OWNED(owned_free) char *json = exported_text(&writer, "json");
	json_auto_t *object = json_loads(json, 0, NULL);
	assert_int_equal(json_array_size(json_object_get(object, "events")), 0);
}

static const char joined[] = "10 1 task-start 1\n20 1 region-begin 3 sort\n20 1 task-create 2\n40 1 touch-pause 2\n"
			     "50 2 task-start 2\n60 2 region-begin 9 swap\n60 2 region-end\n70 2 task-end 2\n"
			     "80 1 touch-resume 2\n90 1 region-end 1\n";

/* An element of an array, as text with its keys in order. */
static void expect_element(const json_t *object, const char *array, size_t i, const char *expected)
{
	json_t *value = json_array_get(json_object_get(object, array), i);
	assert_non_null(value);
	OWNED(owned_free) char *text = json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(6));
	assert_string_equal(text, expected);
}

TEST(json_has_tasks_segments_waits_and_regions)
{
	timeline_text(&writer, 2, joined);
	OWNED(owned_free) char *text = exported_text(&writer, "json");
	json_auto_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(object);
	expect_element(object, "tasks", 0, "{\"created_by\":null,\"parent\":null,\"segments\":[0,1],\"task\":1}");
	expect_element(object, "tasks", 1, "{\"created_by\":4,\"parent\":0,\"segments\":[2],\"task\":2}");
	expect_element(object, "segments", 0,
		"{\"begin\":2,\"children\":[2],\"end\":5,\"from_ns\":10,\"task\":0,\"thread\":1,\"until_ns\":40}");
	expect_element(object, "segments", 1,
		"{\"begin\":10,\"children\":[],\"end\":null,\"from_ns\":80,\"task\":0,\"thread\":1,"
		"\"until_ns\":90}");
	expect_element(object, "waits", 0,
		"{\"begin\":5,\"end\":10,\"handled_by\":null,\"handled_until\":null,\"task\":1,\"wait\":\"touch\"}");
	expect_element(object, "regions", 0,
		"{\"begin\":3,\"end\":11,\"own_ns\":50,\"parent\":null,\"relative\":1.0,\"speed\":8e7,"
		"\"tag\":\"sort\",\"thread\":1,\"time_ns\":50,\"work\":4}");
	expect_element(object, "regions", 1,
		"{\"begin\":7,\"end\":8,\"own_ns\":0,\"parent\":0,\"relative\":1.0,\"speed\":null,"
		"\"tag\":\"swap\",\"thread\":2,\"time_ns\":0,\"work\":9}");
}

static json_t *exported_object(struct writer *from)
{
	OWNED(owned_free) char *text = exported_text(from, "json");
	json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(object);
	return object;
}

TEST(json_without_a_timeline_has_no_member_of_one)
{
	static const char *const of_timelines[] = {"events", "places", "tasks", "segments", "waits", "regions"};
	static const char *const of_all[] = {"stmlog", "clock", "threads", "report", "profile"};
	recording_sample(&writer);
	json_auto_t *without = exported_object(&writer);
	timeline_text(&writer, 2, joined);
	json_auto_t *with = exported_object(&writer);
	for (size_t i = 0; i < sizeof of_timelines / sizeof of_timelines[0]; i++) {
		assert_null(json_object_get(without, of_timelines[i]));
		assert_non_null(json_object_get(with, of_timelines[i]));
	}
	for (size_t i = 0; i < sizeof of_all / sizeof of_all[0]; i++) {
		assert_non_null(json_object_get(without, of_all[i]));
		assert_non_null(json_object_get(with, of_all[i]));
	}
}

TEST(json_has_the_report_as_it_is)
{
	OWNED(recording_fini) struct recording recording;
	recording_sample(&writer);
	json_auto_t *object = exported_object(&writer);
	recording_sample(&writer);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	OWNED(owned_free)
	char *text = printed_report(&recording, (struct report_options){.top = REPORT_ALL}, report_json);
	json_auto_t *report = json_loads(text, 0, NULL);
	assert_true(json_equal(json_object_get(object, "report"), report));
	assert_int_equal(json_array_size(json_object_get(report, "entries")), 5);
}

/* The sample's losses, each line of code below what has called it. */
TEST(json_has_the_profile)
{
	recording_sample(&writer);
	json_auto_t *object = exported_object(&writer);
	assert_int_equal(json_array_size(json_object_get(object, "profile")), 6);
	expect_element(object, "profile", 0,
		"{\"aborted_ns\":0,\"calls\":61239,\"committed_ns\":1700000000,\"file\":null,"
		"\"function\":\"(root)\",\"last_line\":null,\"line\":0,\"module\":null,\"offset\":0,\"parent\":null,"
		"\"paused_ns\":250000,\"short\":\"(root)\",\"waiting_ns\":0}");
	expect_element(object, "profile", 1,
		"{\"aborted_ns\":0,\"calls\":0,\"committed_ns\":0,\"file\":null,\"function\":null,\"last_line\":null,"
		"\"line\":0,"
		"\"module\":\"/gone/"
		"libc.so.6\",\"offset\":171408,\"parent\":0,\"paused_ns\":0,\"short\":null,\"waiting_ns\":0}");
	expect_element(object, "profile", 3,
		"{\"aborted_ns\":4200000,\"calls\":2006,\"committed_ns\":0,\"file\":\"bench/bank.c\","
		"\"function\":\"transfer\",\"last_line\":null,\"line\":61,\"module\":null,\"offset\":0,\"parent\":2,"
		"\"paused_ns\":0,"
		"\"short\":\"transfer\",\"waiting_ns\":0}");
	expect_element(object, "profile", 5,
		"{\"aborted_ns\":100000,\"calls\":6,\"committed_ns\":0,\"file\":null,"
		"\"function\":\"(overflow)\",\"last_line\":null,\"line\":0,\"module\":null,\"offset\":0,\"parent\":"
		"null,"
		"\"paused_ns\":0,\"short\":\"(overflow)\",\"waiting_ns\":0}");
}

TEST(names_of_any_bytes_in_a_profile_are_valid_json)
{
	static const char bytes[] = "a\"b\\c\n\x1b[1m\xff\xc3";
	recording_sample(&writer);
	uint32_t sites[] = {writer_place(&writer, bytes, bytes, 1), writer_place(&writer, "\xed\xa0\x80", "\"", 2)};
	writer_path(
		&writer, &(struct stmlog_path_record){
				 .traceback = writer_traceback(&writer, sites, 2, 0), .aborts = 1, .aborted_ns = 5});
	json_auto_t *object = exported_object(&writer);
	json_t *context = json_array_get(json_object_get(object, "profile"), 2);
	assert_string_equal(word(context, "function"), "a\"b\\c\n\x1b[1m\xef\xbf\xbd\xef\xbf\xbd");
	assert_int_equal(number(context, "aborted_ns"), 5);
}

/* SPDX-License-Identifier: MIT
 * The data of the page: JSON that cannot end its element, lines of sources, and the columns of the timeline. */
#include "loaded.h"

#include <jansson.h>
#include <stmlog/timeline.h>

#include "page.h"
#include "recording_sample.h"
#include "temp_dir.h"
#include "timeline_text.h"

static struct writer writer;

/* What `write` prints through the page's printer, of the recording in the writer. The caller frees it. */
static char *printed(void (*write)(const struct report *report, void *arg), void *arg)
{
	struct recording recording;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	struct symbols *symbols = symbols_create(&recording);
	struct printer printer = page_printer(out);
	struct report report = {&recording, symbols, {.top = REPORT_ALL}, &printer, REPORT_USUAL_FILE, NULL};
	write(&report, arg);
	symbols_destroy(&symbols);
	recording_fini(&recording);
	fclose(out);
	return text;
}

static json_t *parsed(char *text)
{
	json_error_t error;
	json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (value == NULL)
		fail_msg("line %d: %s in:\n%s", error.line, error.text, text);
	free(text);
	return value;
}

/* ---- JSON within HTML ---- */

static void write_report(const struct report *report, void *arg)
{
	(void)arg;
	report_json(report);
}

/* One entry at a place of this name. */
static void put_entry(const char *function, const char *file, uint32_t line)
{
	writer_init(&writer);
	uint32_t site = writer_place(&writer, function, file, line);
	uint32_t traceback = writer_traceback(&writer, &site, 1, 0);
	writer_entry(&writer,
		&(struct stmlog_entry_record){.local = traceback, .count = 3, .lost_ns = 30, .longest_ns = 10});
	writer_total(&writer, UINT32_MAX, UINT32_MAX, 0, 0);
}

TEST(no_name_ends_the_element_and_each_is_the_same_text)
{
	static const char name[] = "</script><img src=x onerror=alert(1)><!--\xe2\x80\xa8";
	put_entry(name, "a<b.c", 7);
	char *text = printed(write_report, NULL);
	assert_null(strchr(text, '<'));
	json_t *report = parsed(text);
	json_t *entry = json_array_get(json_object_get(report, "entries"), 0);
	json_t *frame = json_array_get(json_object_get(json_object_get(entry, "local"), "frames"), 0);
	assert_string_equal(json_string_value(json_object_get(frame, "function")), name);
	assert_string_equal(json_string_value(json_object_get(frame, "file")), "a<b.c");
	json_decref(report);
}

/* ---- sources ---- */

static void write_sources(const struct report *report, void *arg)
{
	free(page_sources(report, arg));
}

TEST_WITH(temp_dir_fixture, a_frame_has_the_lines_around_its_own)
{
	FILE *file = fopen(temp_dir_path("deep.c"), "w");
	assert_non_null(file);
	for (int i = 1; i <= 20; i++)
		fprintf(file, "line %d </script>\n", i);
	fclose(file);
	put_entry("deep", "/gone/src/deep.c", 10);
	json_t *sources = parsed(printed(write_sources, temp_dir));
	assert_int_equal(json_array_size(sources), 1);
	json_t *lines = json_object_get(json_array_get(sources, 0), "lines");
	assert_int_equal(json_object_size(lines), 9);
	assert_string_equal(json_string_value(json_object_get(lines, "10")), "line 10 </script>");
	assert_string_equal(json_string_value(json_object_get(lines, "6")), "line 6 </script>");
	json_decref(sources);
}

TEST(a_source_that_is_not_there_is_left_out)
{
	put_entry("deep", "/gone/src/deep.c", 10);
	json_t *sources = parsed(printed(write_sources, NULL));
	assert_int_equal(json_array_size(sources), 0);
	json_decref(sources);
}

/* ---- the timeline ---- */

static void write_timeline(const struct report *report, void *arg)
{
	struct work work;
	(void)arg;
	work_build(&work, report->recording);
	page_timeline(report, &work);
	work_fini(&work);
}

static void begin_timeline(void)
{
	recording_sample(&writer);
	writer_info(&writer, "began_ns=1000");
	writer_append(&writer, STMLOG_SECTION_EVENTS, "", 0);
	writer_event_place(&writer, &(struct stmlog_place_record){0});
}

static void put(uint64_t at_ns, uint32_t thread, enum stmlog_event_kind kind, uint32_t other)
{
	writer_event(&writer, &(struct stmlog_event_record){.time_ns = 1000 + at_ns,
				      .argument = kind == STMLOG_EVENT_ABORT ? 64 : 0,
				      .thread = thread,
				      .other = other,
				      .kind = (uint8_t)kind,
				      .contention = kind == STMLOG_EVENT_ABORT ? STMLOG_WRITE_READ : 0});
}

static void expect_column(json_t *timeline, const char *kind, const char *column, const char *expected)
{
	char *text = json_dumps(json_object_get(json_object_get(timeline, kind), column), JSON_COMPACT);
	assert_string_equal(text, expected);
	free(text);
}

TEST(columns_have_bars_and_arrows_in_their_order)
{
	begin_timeline();
	put(0, 7, STMLOG_EVENT_ATTACH, 0);
	put(0, 8, STMLOG_EVENT_ATTACH, 0);
	put(0, 7, STMLOG_EVENT_START, 0);
	put(100, 7, STMLOG_EVENT_COMMIT, 0);
	put(150, 7, STMLOG_EVENT_START, 0);
	put(200, 7, STMLOG_EVENT_ABORT, 8);
	put(300, 8, STMLOG_EVENT_START, 0);
	put(350, 8, STMLOG_EVENT_COMMIT, 0);
	json_t *timeline = parsed(printed(write_timeline, NULL));
	expect_column(timeline, "bars", "lane", "[0,0,1]");
	expect_column(timeline, "bars", "fate", "[0,1,0]");
	expect_column(timeline, "bars", "from", "[0,150,300]");
	expect_column(timeline, "bars", "time", "[100,50,50]");
	expect_column(timeline, "bars", "other", "[0,8,0]");
	expect_column(timeline, "arrows", "lane", "[1]");
	expect_column(timeline, "arrows", "to_lane", "[0]");
	expect_column(timeline, "arrows", "to", "[200]");
	json_decref(timeline);
}

TEST(a_timeline_that_contradicts_itself_is_a_sentence)
{
	begin_timeline();
	put(0, 7, STMLOG_EVENT_START, 0);
	json_t *timeline = parsed(printed(write_timeline, NULL));
	assert_non_null(json_string_value(json_object_get(timeline, "fault")));
	json_decref(timeline);
}

/* ---- help ---- */

static void write_help(const struct report *report, void *arg)
{
	(void)arg;
	page_help(report);
}

TEST(each_rule_and_term_is_explained)
{
	recording_sample(&writer);
	json_t *help = parsed(printed(write_help, NULL));
	json_t *rule = json_object_get(json_object_get(help, "rules"), "hot-word");
	assert_string_equal(json_string_value(json_object_get(rule, "title")), "hot word");
	assert_non_null(json_string_value(json_object_get(rule, "mending")));
	assert_non_null(json_string_value(json_object_get(json_object_get(help, "terms"), "committed")));
	assert_int_equal(json_array_size(json_object_get(json_object_get(help, "losses"), "events_missing")), 2);
	json_decref(help);
}

/* ---- tasks ---- */

static void write_tasks(const struct report *report, void *arg)
{
	struct work work;
	(void)arg;
	assert_true(work_build(&work, report->recording));
	page_tasks(report, &work);
	work_fini(&work);
}

static json_t *tasks_of(uint32_t threads, const char *timeline)
{
	timeline_text(&writer, threads, timeline);
	return parsed(printed(write_tasks, NULL));
}

static const char join[] = "10 1 task-start 1\n20 1 task-create 18446744073709551615\n30 1 task-create 3\n"
			   "40 1 task-suspend 1 join\n50 2 task-start 18446744073709551615\n50 2 region-begin 9 half\n"
			   "60 2 region-end 0\n60 2 task-end 18446744073709551615\n61 2 task-start 3\n63 2 task-end 3\n"
			   "64 1 touch-pause 18446744073709551615\n65 1 touch-resume 18446744073709551615\n"
			   "66 1 touch-pause 3\n67 1 touch-resume 3\n68 1 task-resume 1\n70 1 task-end 1\n";

TEST(segments_have_their_boxes_in_the_graph_and_in_the_tree_of_creations)
{
	json_t *tasks = tasks_of(2, join);
	assert_int_equal(json_integer_value(json_object_get(tasks, "work_ns")), 30 + 10 + 2 + 2);
	assert_int_equal(json_integer_value(json_object_get(tasks, "longest_ns")), 30 + 10 + 2);
	/* Shortest first. */
	expect_column(tasks, "segments", "time", "[2,2,10,30]");
	expect_column(tasks, "segments", "from", "[58,51,40,0]");
	expect_column(tasks, "segments", "task", "[0,2,1,0]");
	expect_column(tasks, "segments", "part", "[2,1,1,1]");
	expect_column(tasks, "segments", "lane", "[0,1,1,0]");
	expect_column(tasks, "segments", "tag", "[0,0,1,0]");
	expect_column(tasks, "segments", "box", "[3,2,1,0]");
	expect_column(tasks, "segments", "node", "[0,2,1,0]");
	expect_column(tasks, "graph", "from", "[0,30,30,40]");
	expect_column(tasks, "graph", "row", "[0,0,1,0]");
	expect_column(tasks, "graph", "rows", "[2,1,1,2]");
	expect_column(tasks, "creations", "from", "[0,1,1]");
	expect_column(tasks, "edges", "from", "[]");
	json_decref(tasks);
}

TEST(numbers_of_tasks_are_texts_and_waits_have_their_words)
{
	json_t *tasks = tasks_of(2, join);
	char *numbers = json_dumps(json_object_get(tasks, "tasks"), JSON_COMPACT);
	char *waits = json_dumps(json_object_get(tasks, "waits"), JSON_COMPACT | JSON_SORT_KEYS);
	assert_string_equal(numbers, "[\"1\",\"18446744073709551615\",\"3\"]");
	assert_string_equal(waits,
		"[{\"abandoned\":0,\"count\":1,\"handled_ns\":0,\"time_ns\":28,\"wait\":\"suspended\",\"word\":"
		"\"join\"},"
		"{\"abandoned\":0,\"count\":2,\"handled_ns\":0,\"time_ns\":2,\"wait\":\"touch\",\"word\":\"\"}]");
	free(numbers);
	free(waits);
	json_decref(tasks);
}

TEST(without_tasks_the_data_is_empty)
{
	json_t *tasks = tasks_of(1, "1 1 mark\n");
	expect_column(tasks, "segments", "box", "[]");
	expect_column(tasks, "graph", "from", "[]");
	json_decref(tasks);
}

/* Task 3 touches task 2, its sibling. */
TEST(an_edge_that_the_order_of_the_boxes_does_not_show_is_told)
{
	json_t *tasks = tasks_of(3,
		"1 1 task-start 1\n2 1 task-create 2\n3 1 task-create 3\n4 2 task-start 2\n4 3 task-start 3\n"
		"6 2 task-end 2\n7 3 touch-pause 2\n8 3 touch-resume 2\n9 1 touch-pause 2\n10 1 touch-resume 2\n"
		"11 3 task-end 3\n12 1 touch-pause 3\n13 1 touch-resume 3\n14 1 task-end 1\n");
	json_t *edges = json_object_get(tasks, "edges");
	assert_int_equal(json_array_size(json_object_get(edges, "from")), 1);
	assert_int_equal(json_array_size(json_object_get(edges, "to")), 1);
	json_decref(tasks);
}

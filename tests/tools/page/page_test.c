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
}

TEST(no_name_ends_the_element_and_each_is_the_same_text)
{
	static const char name[] = "</script><img src=x onerror=alert(1)><!--\xe2\x80\xa8";
	put_entry(name, "a<b.c", 7);
	char *text = printed(write_report, NULL);
	assert_null(strchr(text, '<'));
	json_auto_t *report = parsed(text);
	json_t *entry = json_array_get(json_object_get(report, "entries"), 0);
	json_t *frame = json_array_get(json_object_get(json_object_get(entry, "local"), "frames"), 0);
	assert_string_equal(json_string_value(json_object_get(frame, "function")), name);
	assert_string_equal(json_string_value(json_object_get(frame, "file")), "a<b.c");
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
	json_auto_t *sources = parsed(printed(write_sources, temp_dir));
	assert_int_equal(json_array_size(sources), 1);
	json_t *lines = json_object_get(json_array_get(sources, 0), "lines");
	assert_int_equal(json_object_size(lines), 9);
	assert_string_equal(json_string_value(json_object_get(lines, "10")), "line 10 </script>");
	assert_string_equal(json_string_value(json_object_get(lines, "6")), "line 6 </script>");
}

TEST(a_source_that_is_not_there_is_left_out)
{
	put_entry("deep", "/gone/src/deep.c", 10);
	json_auto_t *sources = parsed(printed(write_sources, NULL));
	assert_int_equal(json_array_size(sources), 0);
}

/* ---- the timeline ---- */

static void write_timeline(const struct report *report, void *arg)
{
	OWNED(work_fini) struct work work;
	(void)arg;
	work_build(&work, report->recording);
	page_timeline(report, &work);
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
	OWNED(owned_free)
	char *text = json_dumps(json_object_get(json_object_get(timeline, kind), column), JSON_COMPACT);
	assert_string_equal(text, expected);
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
	json_auto_t *timeline = parsed(printed(write_timeline, NULL));
	expect_column(timeline, "bars", "lane", "[0,0,1]");
	expect_column(timeline, "bars", "fate", "[0,1,0]");
	expect_column(timeline, "bars", "from", "[0,150,300]");
	expect_column(timeline, "bars", "time", "[100,50,50]");
	expect_column(timeline, "bars", "other", "[0,8,0]");
	expect_column(timeline, "arrows", "lane", "[1]");
	expect_column(timeline, "arrows", "to_lane", "[0]");
	expect_column(timeline, "arrows", "to", "[200]");
}

/* An abort of the costliest entry, and one at a place that no entry has. */
TEST(a_loss_has_the_kind_of_the_entries_with_its_cause_and_place)
{
	enum { TRANSFERRING = 2, LAST_ENTRY = 4 };
	begin_timeline();
	writer_event_place(
		&writer, &(struct stmlog_place_record){TRANSFERRING, writer_string(&writer, "LOCKED_WRITE")});
	put(0, 1, STMLOG_EVENT_ATTACH, 0);
	for (uint32_t place = 1; place <= 2; place++) {
		put(100 * place, 1, STMLOG_EVENT_START, 0);
		writer_event(&writer, &(struct stmlog_event_record){.time_ns = 1050 + 100 * place,
					      .place = place % 2,
					      .thread = 1,
					      .kind = STMLOG_EVENT_ABORT,
					      .reason = STMLOG_SELF_ABORT,
					      .contention = STMLOG_WRITE_WRITE});
	}
	put(300, 1, STMLOG_EVENT_START, 0);
	put(400, 1, STMLOG_EVENT_COMMIT, 0);
	json_auto_t *timeline = parsed(printed(write_timeline, NULL));
	expect_column(timeline, "bars", "kind", "[1,2,0]");
	json_t *entries = json_object_get(timeline, "entries");
	json_t *kinds = json_object_get(entries, "kind");
	assert_int_equal(json_array_size(kinds), LAST_ENTRY + 1);
	for (size_t i = 0; i <= LAST_ENTRY; i++)
		assert_int_equal(json_integer_value(json_array_get(kinds, i)), i == 0 ? 1 : i + 2);
	/* Since the beginning, at 1000. */
	assert_int_equal(json_integer_value(json_array_get(json_object_get(entries, "first"), 0)), 5000 - 1000);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(entries, "last"), 0)), 1900000000 - 1000);
	assert_int_equal(json_integer_value(json_array_get(json_object_get(entries, "row"), 0)), 1);
}

/* The thread works on nothing where it has no bar: 5 is a task. */
TEST(rayon_logs_a_lane_has_a_bar_for_each_work_on_a_task_and_none_where_the_thread_is_idle)
{
	timeline_text(&writer, 2,
		"10 1 task-start 1\n40 1 task-suspend 1\n50 2 task-start 2\n60 2 task-end 2\n68 1 task-resume 1\n"
		"70 1 task-end 1\n");
	json_auto_t *timeline = parsed(printed(write_timeline, NULL));
	expect_column(timeline, "bars", "fate", "[5,5,5]");
	expect_column(timeline, "bars", "lane", "[0,1,0]");
	expect_column(timeline, "bars", "from", "[0,40,58]");
	expect_column(timeline, "bars", "time", "[30,10,2]");
}

TEST(a_timeline_that_contradicts_itself_is_a_sentence)
{
	begin_timeline();
	put(0, 7, STMLOG_EVENT_START, 0);
	json_auto_t *timeline = parsed(printed(write_timeline, NULL));
	assert_non_null(json_string_value(json_object_get(timeline, "fault")));
}

/* ---- help ---- */

static void write_help(const struct report *report, void *arg)
{
	(void)arg;
	page_help(report);
}

TEST(each_how_and_term_is_explained)
{
	recording_sample(&writer);
	json_auto_t *help = parsed(printed(write_help, NULL));
	json_t *row = json_object_get(json_object_get(help, "rows"), "conflict");
	assert_non_null(json_string_value(json_object_get(row, "meaning")));
	assert_non_null(json_string_value(json_object_get(row, "mending")));
	assert_non_null(json_string_value(json_object_get(json_object_get(help, "terms"), "committed")));
	assert_int_equal(json_array_size(json_object_get(json_object_get(help, "losses"), "events_missing")), 2);
}

/* ---- tasks ---- */

static void write_tasks(const struct report *report, void *arg)
{
	OWNED(work_fini) struct work work;
	(void)arg;
	assert_true(work_build(&work, report->recording));
	OWNED(picture_fini) struct picture picture = picture_of(report->recording, &work);
	page_tasks(report, &picture);
}

static json_t *tasks_of(uint32_t threads, const char *timeline)
{
	timeline_text(&writer, threads, timeline);
	return parsed(printed(write_tasks, NULL));
}

TEST(segments_have_their_boxes_in_the_graph_and_in_the_tree_of_creations)
{
	json_auto_t *tasks = tasks_of(2,
		"10 1 task-start 1\n20 1 task-create 2\n30 1 task-create 3\n40 1 task-suspend 1\n50 2 task-start 2\n"
		"60 2 task-end 2\n61 2 task-start 3\n63 2 task-end 3\n64 1 touch-pause 2\n65 1 touch-resume 2\n"
		"66 1 touch-pause 3\n67 1 touch-resume 3\n68 1 task-resume 1\n70 1 task-end 1\n");
	assert_int_equal(json_integer_value(json_object_get(tasks, "threads")), 2);
	/* Shortest first. */
	expect_column(tasks, "segments", "time", "[2,2,10,30]");
	expect_column(tasks, "segments", "from", "[58,51,40,0]");
	expect_column(tasks, "segments", "graph", "[1,3,2,0]");
	expect_column(tasks, "segments", "creations", "[0,2,1,0]");
}

TEST(without_tasks_the_data_is_empty)
{
	json_auto_t *tasks = tasks_of(1, "1 1 mark\n");
	expect_column(tasks, "segments", "graph", "[]");
}

/* SPDX-License-Identifier: MIT
 * The timeline for the page, and its tasks. Texts stand in lists, and columns have their numbers in these. */
#include <inttypes.h>
#include <stdlib.h>

#include <stmlog/causes.h>

#include "bars.h"
#include "dictionary.h"
#include "event.h"
#include "json_value.h"
#include "memory.h"
#include "page.h"
#include "picture.h"
#include "ranking.h"
#include "report_json.h"
#include "saturate.h"
#include "short_name.h"

/* The page has at most so many bars, points and arrows each, the last ones: with more, browsers become slow. */
enum { ROWS_MAX = 400000 };

/* Numbers of one kind, in the order of the rows. An empty one is zeroed. */
struct column {
	uint64_t *at;
	size_t len, cap;
};

/* Texts by their numbers. Number 0 is no text. */
struct texts {
	struct dictionary numbers;
	const char **at;
	size_t len, cap;
};

enum bar_column {
	BAR_LANE,
	BAR_ROW,
	BAR_DEPTH,
	BAR_FATE,
	BAR_FROM,
	BAR_TIME,
	BAR_PLACE,
	BAR_WHY,
	BAR_OTHER,
	BAR_WHAT,
	BAR_KIND,
	BAR_COLUMNS
};
enum point_column { POINT_LANE, POINT_KIND, POINT_AT, POINT_PLACE, POINT_WHAT, POINT_COLUMNS };
enum arrow_column { ARROW_LANE, ARROW_AT, ARROW_TO_LANE, ARROW_TO, ARROW_COLUMNS };
enum entry_column { ENTRY_KIND, ENTRY_ROW, ENTRY_FIRST, ENTRY_LAST, ENTRY_COLUMNS };

static const char *const bar_names[BAR_COLUMNS] = {
	[BAR_LANE] = "lane",
	[BAR_ROW] = "row",
	[BAR_DEPTH] = "depth",
	[BAR_FATE] = "fate",
	[BAR_FROM] = "from",
	[BAR_TIME] = "time",
	[BAR_PLACE] = "place",
	[BAR_WHY] = "why",
	[BAR_OTHER] = "other",
	[BAR_WHAT] = "what",
	[BAR_KIND] = "kind", /* of the loss that it is; 0: it is none */
};
static const char *const point_names[POINT_COLUMNS] = {
	[POINT_LANE] = "lane",
	[POINT_KIND] = "kind",
	[POINT_AT] = "at",
	[POINT_PLACE] = "place",
	[POINT_WHAT] = "what",
};
static const char *const arrow_names[ARROW_COLUMNS] = {
	[ARROW_LANE] = "lane",
	[ARROW_AT] = "at",
	[ARROW_TO_LANE] = "to_lane",
	[ARROW_TO] = "to",
};
/* The kind of its losses; its row on the first screen, from 1 on, 0: none; when its first loss ended, and its last. */
static const char *const entry_names[ENTRY_COLUMNS] = {"kind", "row", "first", "last"};

/* How the attempt of a bar ended; or which other kind of bar it is. */
enum fate { COMMITTED, ABORTED, OPEN, WAIT, MISSING, TASK, TOUCH, REGION, FATES };
static const char *const fates[FATES] = {
	[COMMITTED] = "committed",
	[ABORTED] = "aborted",
	[OPEN] = "open",
	[WAIT] = "wait",
	[MISSING] = "missing",
	[TASK] = "task",
	[TOUCH] = "touch",
	[REGION] = "region",
};

/* Of more segments the page has the longest ones, and the boxes of all. */
enum { SEGMENTS_MAX = 60000 };

enum segment_column { SEGMENT_FROM, SEGMENT_TIME, SEGMENT_GRAPH, SEGMENT_CREATIONS, SEGMENT_COLUMNS };
static const char *const segment_names[SEGMENT_COLUMNS] = {
	[SEGMENT_FROM] = "from",
	[SEGMENT_TIME] = "time",
	[SEGMENT_GRAPH] = "graph",         /* its box in the graph */
	[SEGMENT_CREATIONS] = "creations", /* the box of its task in the tree of creations */
};

/* A segment, and how long it took. */
struct length {
	uint64_t time_ns;
	size_t segment;
};

/* The timeline that is written. */
struct timeline {
	const struct report *report;
	struct bar_lanes lanes;
	uint64_t origin_ns;
	struct texts texts;
	struct dictionary kinds; /* of losses */
	struct column bars[BAR_COLUMNS], points[POINT_COLUMNS], arrows[ARROW_COLUMNS];
};

/* ---- columns: tables of numbers ----
 * A row for each of 100,000 bars would take many times the room. The i-th number of each column is of the i-th row. */

static void column_add(struct column *column, uint64_t number)
{
	column->at = memory_grown(column->at, column->len, &column->cap, sizeof *column->at);
	column->at[column->len++] = number;
}

static void columns_add_row(struct column *columns, size_t len, const uint64_t *numbers)
{
	for (size_t i = 0; i < len; i++)
		column_add(&columns[i], numbers[i]);
}

static void columns_fini(struct column *columns, size_t len)
{
	for (size_t i = 0; i < len; i++)
		free(columns[i].at);
}

static void write_column(const struct report *report, const struct column *column, size_t from)
{
	printer_text(report->out, "[");
	for (size_t i = from; i < column->len; i++)
		printer_format(report->out, "%s%" PRIu64, i > from ? "," : "", column->at[i]);
	printer_text(report->out, "]");
}

/* Writes an object with "left_out" and each column by its name, as a member of the present object, after a comma. Of
 * more than `max` rows it has the last ones. */
static void columns_write(const struct report *report, const char *name, const struct column *columns,
	const char *const *names, size_t len, size_t max)
{
	size_t left_out = columns[0].len > max ? columns[0].len - max : 0;
	printer_format(report->out, ",\n \"%s\": {\"left_out\": %zu", name, left_out);
	for (size_t i = 0; i < len; i++) {
		printer_format(report->out, ",\n  \"%s\": ", names[i]);
		write_column(report, &columns[i], left_out);
	}
	printer_text(report->out, "}");
}

/* ---- texts ---- */

/* NULL and "" are no text. */
static uint64_t number_of(struct texts *texts, const char *text)
{
	if (text == NULL || text[0] == '\0')
		return 0;
	const struct dictionary_entry *entry = dictionary_find(&texts->numbers, text);
	if (entry->is_new) {
		texts->at = memory_grown(texts->at, texts->len, &texts->cap, sizeof *texts->at);
		texts->at[texts->len++] = entry->text;
	}
	return entry->number;
}

static uint64_t number_and_free(struct texts *texts, char *text)
{
	uint64_t number = number_of(texts, text);
	free(text);
	return number;
}

/* ---- events ---- */

/* Time 0 of the page: the beginning of the recording, or the first event if that is earlier. */
static uint64_t page_origin_ns(const struct recording *recording)
{
	uint64_t origin_ns = recording->info.began_ns;
	for (size_t i = 0; i < recording->event_count; i++)
		if (recording->events[i].time_ns < origin_ns || origin_ns == 0)
			origin_ns = recording->events[i].time_ns;
	return origin_ns;
}

static const struct stmlog_event_record *event_at(const struct timeline *timeline, size_t index)
{
	return &timeline->report->recording->events[index];
}

static uint64_t since(const struct timeline *timeline, uint64_t time_ns)
{
	return saturated_difference(time_ns, timeline->origin_ns);
}

/* "transfer  bank.c:51"; or the word that the program has given with the event. */
static uint64_t place_of(struct timeline *timeline, const struct stmlog_event_record *event)
{
	const struct report *report = timeline->report;
	struct stmlog_place_record place = event_place(report->recording, event);
	struct recording_traceback traceback = recording_traceback(report->recording, place.traceback);
	if (place.word != 0)
		return number_of(&timeline->texts, recording_string(report->recording, place.word));
	if (traceback.len == 0)
		return 0;
	const struct symbol_frame *frame = symbols_site(report->symbols, traceback.sites[0])->frames;
	char *name = frame->function != NULL ? short_name(frame->function)
					     : memory_text(symbol_basename(frame->module != NULL ? frame->module : ""));
	char *position = frame->file != NULL
				 ? symbol_position(symbol_basename(frame->file), frame->line, frame->last_line)
				 : NULL;
	char *text = position == NULL ? memory_format("%s+0x%" PRIx64, name, frame->offset)
				      : memory_format("%s  %s", name, position);
	memory_free(position);
	memory_free(name);
	return number_and_free(&timeline->texts, text);
}

/* "blocked: operation, allocate memory, value 4096" */
static uint64_t task_text_of(struct timeline *timeline, const struct stmlog_event_record *event)
{
	char *text = event_task_text(timeline->report->recording, event);
	const char *what = event->kind == STMLOG_EVENT_BLOCK_BEGIN    ? "blocked"
			   : event->kind == STMLOG_EVENT_HANDLE_BEGIN ? "handles an operation"
								      : NULL;
	if (what == NULL)
		return text != NULL ? number_and_free(&timeline->texts, text) : 0;
	char *whole = memory_format("%s%s%s", what, text != NULL ? ": " : "", text != NULL ? text : "");
	memory_free(text);
	return number_and_free(&timeline->texts, whole);
}

static uint64_t cause_of(struct timeline *timeline, const struct stmlog_event_record *event)
{
	const char *detail = event_detail_name(event);
	if (event_has_task(event))
		return task_text_of(timeline, event);
	if (!event_has_cause(event))
		return 0;
	return number_and_free(&timeline->texts, memory_format("%s, %s%s%s", stmlog_reason_name(event->reason),
							 stmlog_contention_name(event->contention),
							 detail != NULL ? ", " : "", detail != NULL ? detail : ""));
}

/* The event's argument: the number of missing events or of a task, the address of an object, a value. */
static uint64_t argument_of(struct timeline *timeline, const struct stmlog_event_record *event)
{
	bool is_number = event->kind == STMLOG_EVENT_MISSING || event_has_task(event) ||
			 event->kind == STMLOG_EVENT_COUNTER || event->kind == STMLOG_EVENT_MARK;
	if (is_number)
		return number_and_free(&timeline->texts, memory_format("%" PRIu64, event->argument));
	if (event->argument == 0)
		return 0;
	char *symbol = event_has_cause(event) ? symbols_object(timeline->report->symbols, event->argument) : NULL;
	return number_and_free(
		&timeline->texts, symbol != NULL ? symbol : memory_format("0x%" PRIx64, event->argument));
}

/* ---- losses ---- */

/* Losses of one cause at one place are of one kind. Events do not have the place of the other transaction: so several
 * entries may have losses of one kind. */
static uint64_t loss_kind(
	struct timeline *timeline, unsigned reason, unsigned contention, uint32_t traceback, const char *word)
{
	char *key = memory_format("%u %u %" PRIu32 " %s", reason, contention, traceback, word);
	uint64_t kind = dictionary_find(&timeline->kinds, key)->number;
	memory_free(key);
	return kind;
}

/* In the order of the report. */
static void write_entry_columns(struct timeline *timeline)
{
	const struct report *report = timeline->report;
	struct column columns[ENTRY_COLUMNS] = {{0}};
	struct ranking ranking = ranking_of(report);
	struct tally sorted = report_sorted(report);
	for (size_t i = 0; i < report_listed(report, &sorted); i++) {
		size_t number = sorted.rows[i]->key[0];
		const struct stmlog_entry_record *entry = &report->recording->entries[number];
		const char *word = recording_string(report->recording, entry->detail);
		uint64_t row[ENTRY_COLUMNS] = {
			[ENTRY_KIND] = loss_kind(timeline, entry->reason, entry->contention, entry->local, word),
			[ENTRY_ROW] = ranking.row_numbers != NULL ? ranking.row_numbers[number] : 0,
			[ENTRY_FIRST] = since(timeline, entry->first_ns),
			[ENTRY_LAST] = since(timeline, entry->last_ns)};
		columns_add_row(columns, ENTRY_COLUMNS, row);
	}
	columns_write(report, "entries", columns, entry_names, ENTRY_COLUMNS, SIZE_MAX);
	columns_fini(columns, ENTRY_COLUMNS);
	tally_drop(&sorted);
	ranking_fini(&ranking);
}

/* ---- what is drawn ---- */

static enum fate fate_of(const struct timeline *timeline, const struct bar *bar)
{
	unsigned kind = event_at(timeline, bar->index)->kind;
	unsigned end = bar->closed_by != BAR_NONE ? event_at(timeline, bar->closed_by)->kind : STMLOG_EVENT_MISSING;
	if (kind == STMLOG_EVENT_START)
		return end == STMLOG_EVENT_COMMIT ? COMMITTED : end == STMLOG_EVENT_ABORT ? ABORTED : OPEN;
	if (kind == STMLOG_EVENT_MISSING)
		return MISSING;
	switch (bar->row) {
	case STMLOG_ROW_TASKS:
		return TASK;
	case STMLOG_ROW_TOUCHES:
		return TOUCH;
	case STMLOG_ROW_REGIONS:
		return REGION;
	default:
		return WAIT;
	}
}

static void add_bar(void *arg, const struct bar *bar)
{
	struct timeline *timeline = arg;
	enum fate fate = fate_of(timeline, bar);
	const struct stmlog_event_record *begin = event_at(timeline, bar->index);
	const struct stmlog_event_record *cause = fate == ABORTED ? event_at(timeline, bar->closed_by) : begin;
	uint32_t at = event_place(timeline->report->recording, cause).traceback;
	const char *word = event_word(timeline->report->recording, cause);
	uint64_t row[BAR_COLUMNS] = {[BAR_LANE] = bar->lane,
		[BAR_ROW] = bar->row,
		[BAR_DEPTH] = bar->depth,
		[BAR_FATE] = fate,
		[BAR_FROM] = since(timeline, bar->from_ns),
		[BAR_TIME] = bar->until_ns - bar->from_ns,
		[BAR_PLACE] = fate == MISSING ? 0 : place_of(timeline, begin),
		[BAR_WHY] = cause_of(timeline, cause),
		[BAR_OTHER] = event_other(cause),
		[BAR_WHAT] = argument_of(timeline, cause),
		[BAR_KIND] = fate == ABORTED || fate == WAIT
				     ? loss_kind(timeline, cause->reason, cause->contention, at, word)
				     : 0};
	columns_add_row(timeline->bars, BAR_COLUMNS, row);
}

/* An abort is shown by its bar, and may have an arrow. */
static void add_point(void *arg, const struct bar_point *point)
{
	struct timeline *timeline = arg;
	const struct stmlog_event_record *event = event_at(timeline, point->index);
	if (point->is_arrow_end) {
		uint64_t row[ARROW_COLUMNS] = {[ARROW_LANE] = point->arrow_lane,
			[ARROW_AT] = since(timeline, point->arrow_ns),
			[ARROW_TO_LANE] = point->lane,
			[ARROW_TO] = since(timeline, point->time_ns)};
		columns_add_row(timeline->arrows, ARROW_COLUMNS, row);
	}
	if (event->kind == STMLOG_EVENT_ABORT || event->kind == STMLOG_EVENT_ATTACH ||
		event->kind == STMLOG_EVENT_DETACH)
		return;
	uint64_t row[POINT_COLUMNS] = {[POINT_LANE] = point->lane,
		[POINT_KIND] = number_of(&timeline->texts, stmlog_event_name(event->kind)),
		[POINT_AT] = since(timeline, point->time_ns),
		[POINT_PLACE] = place_of(timeline, event),
		[POINT_WHAT] = argument_of(timeline, event)};
	columns_add_row(timeline->points, POINT_COLUMNS, row);
}

/* ---- writing ---- */

/* The threads by lane. */
static json_t *lanes_of(const struct bar_lanes *lanes)
{
	json_t *array = json_array();
	for (size_t i = 0; i < lanes->len; i++)
		json_array_append_new(array, json_pack("{s:o, s:o}", "thread", integer(lanes->lanes[i].thread), "name",
						     string(lanes->lanes[i].name)));
	return array;
}

static void write_texts(const struct report *report, const struct texts *texts)
{
	report_json_array(report, "texts");
	report_json_element(report, 0, json_null());
	for (size_t i = 0; i < texts->len; i++)
		report_json_element(report, i + 1, string(texts->at[i]));
	printer_text(report->out, "]");
}

static void write_all(struct timeline *timeline)
{
	const struct report *report = timeline->report;
	printer_format(report->out, "{\"events\": %zu", report->recording->event_count);
	report_json_member(report, "lanes", lanes_of(&timeline->lanes));
	report_json_array(report, "fates");
	for (size_t i = 0; i < FATES; i++)
		report_json_element(report, i, json_string(fates[i]));
	printer_text(report->out, "]");
	columns_write(report, "bars", timeline->bars, bar_names, BAR_COLUMNS, ROWS_MAX);
	columns_write(report, "points", timeline->points, point_names, POINT_COLUMNS, ROWS_MAX);
	columns_write(report, "arrows", timeline->arrows, arrow_names, ARROW_COLUMNS, ROWS_MAX);
	write_entry_columns(timeline);
	write_texts(report, &timeline->texts);
	printer_text(report->out, "}");
}

static void timeline_fini(struct timeline *timeline)
{
	columns_fini(timeline->bars, BAR_COLUMNS);
	columns_fini(timeline->points, POINT_COLUMNS);
	columns_fini(timeline->arrows, ARROW_COLUMNS);
	dictionary_fini(&timeline->kinds);
	dictionary_fini(&timeline->texts.numbers);
	free(timeline->texts.at);
	bar_lanes_fini(&timeline->lanes);
}

void page_timeline(const struct report *report, const struct work *work)
{
	static const struct bar_sink sink = {NULL, add_bar, add_point};
	if (work->fault != NULL) {
		struct work_text fault = work_fault(work, report->recording);
		report_json_value(report, json_pack("{s:o}", "fault", string(fault.text)));
		return;
	}
	struct timeline timeline = {.report = report, .origin_ns = page_origin_ns(report->recording)};
	timeline.lanes = bar_lanes_of(report->recording);
	bars_walk(report->recording, &timeline.lanes, &sink, &timeline, NULL);
	write_all(&timeline);
	timeline_fini(&timeline);
}

/* ---- tasks: when each segment ran, with the boxes of both forms of the picture that stand for it ---- */

static int compare_lengths(const void *a, const void *b)
{
	const struct length *left = a, *right = b;
	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? -1 : 1;
	return left->segment < right->segment ? -1 : left->segment > right->segment;
}

/* Shortest first, since columns have the last rows. */
static struct length *list_lengths(const struct work *work)
{
	struct length *lengths = memory_zeroed(work->segment_count, sizeof *lengths);
	for (size_t i = 0; i < work->segment_count; i++)
		lengths[i] = (struct length){work->segments[i].until_ns - work->segments[i].from_ns, i};
	qsort(lengths, work->segment_count, sizeof *lengths, compare_lengths);
	return lengths;
}

void page_tasks(const struct report *report, const struct picture *picture)
{
	const struct work *work = picture->work;
	struct column columns[SEGMENT_COLUMNS] = {{0}};
	struct length *lengths = list_lengths(work);
	struct bar_lanes lanes = bar_lanes_of(report->recording);
	uint64_t origin_ns = page_origin_ns(report->recording);
	for (size_t i = 0; i < work->segment_count; i++) {
		const struct segment *segment = &work->segments[lengths[i].segment];
		uint64_t row[SEGMENT_COLUMNS] = {[SEGMENT_FROM] = segment->from_ns - origin_ns,
			[SEGMENT_TIME] = lengths[i].time_ns,
			[SEGMENT_GRAPH] = picture->graph.of[lengths[i].segment],
			[SEGMENT_CREATIONS] = picture->creations.of[segment->task]};
		columns_add_row(columns, SEGMENT_COLUMNS, row);
	}
	printer_format(report->out, "{\"threads\": %zu", lanes.len);
	columns_write(report, "segments", columns, segment_names, SEGMENT_COLUMNS, SEGMENTS_MAX);
	printer_text(report->out, "}");
	columns_fini(columns, SEGMENT_COLUMNS);
	bar_lanes_fini(&lanes);
	free(lengths);
}

/* SPDX-License-Identifier: MIT
 * A timeline as Chrome's trace events: the older format, which more viewers read. Times are microseconds since the
 * recording began, with three decimals. A bar is two events ("B", "E"), because bars with a rounded duration would
 * overlap. Rows other than the first are asynchronous ("b", "e"). The point at the end of an arrow is a bar of no
 * length, since in this format arrows end at bars. */
#include <inttypes.h>
#include <stdlib.h>

#include <stmlog/timeline.h>

#include "bars.h"
#include "caption.h"
#include "export.h"
#include "json_value.h"
#include "number.h"
#include "utf8.h"

struct chrome {
	const struct export *export;
	struct bar_lanes lanes;
	struct captions *captions;
	struct caption caption;
	bool has_event;
};

static void write_text(struct chrome *chrome, const char *text)
{
	json_value_write(chrome->export->out, string(text), 0);
}

static void write_member(struct chrome *chrome, const char *key, const char *text)
{
	fprintf(chrome->export->out, ",\"%s\":", key);
	write_text(chrome, text);
}

/* ---- parts of an event ---- */

static void begin_event(struct chrome *chrome, const char *phase, size_t lane)
{
	const struct export *export = chrome->export;
	fprintf(export->out, "%s{\"ph\":\"%s\",\"pid\":%" PRIu64, chrome->has_event ? ",\n" : "\n", phase,
		export->recording->info.pid);
	if (lane != BAR_NONE)
		fprintf(export->out, ",\"tid\":%" PRIu32, chrome->lanes.lanes[lane].tid);
	chrome->has_event = true;
}

static void write_time(struct chrome *chrome, uint64_t time_ns)
{
	uint64_t began_ns = chrome->export->recording->info.began_ns;
	fprintf(chrome->export->out, ",\"ts\":%s", number_since(began_ns, time_ns, NUMBER_US).text);
}

/* Addresses are texts: most readers of JSON cannot hold numbers that large. */
static void write_fact(struct chrome *chrome, const struct caption_fact *fact)
{
	FILE *out = chrome->export->out;
	fprintf(out, "\"%s\":", fact->key);
	if (fact->text != NULL)
		write_text(chrome, fact->text);
	else if (fact->is_address)
		fprintf(out, "\"0x%" PRIx64 "\"", fact->number);
	else
		fprintf(out, "%" PRIu64, fact->number <= INT64_MAX ? fact->number : INT64_MAX);
}

static void write_caption(struct chrome *chrome)
{
	const struct caption *caption = &chrome->caption;
	FILE *out = chrome->export->out;
	write_member(chrome, "cat", caption->category);
	write_member(chrome, "name", caption->name);
	fputs(",\"args\":{", out);
	for (size_t i = 0; i < caption->len; i++) {
		fputs(i > 0 ? "," : "", out);
		write_fact(chrome, &caption->facts[i]);
	}
	fputs("}", out);
}

static void end_event(struct chrome *chrome)
{
	fputs("}", chrome->export->out);
}

/* ---- names ---- */

/* Frees `text`. */
static void write_metadata(struct chrome *chrome, const char *of, size_t lane, const char *key, char *text)
{
	begin_event(chrome, "M", lane);
	write_member(chrome, "name", of);
	fprintf(chrome->export->out, ",\"args\":{\"%s\":", key);
	write_text(chrome, text);
	fputs("}", chrome->export->out);
	end_event(chrome);
	free(text);
}

static void write_name(struct chrome *chrome, const char *of, size_t lane, char *name)
{
	write_metadata(chrome, of, lane, "name", name);
}

static void write_names(struct chrome *chrome)
{
	const char *program = symbol_basename(chrome->export->recording->info.program);
	write_name(chrome, "process_name", BAR_NONE, utf8_clean(program, UTF8_HIDE_CONTROLS));
	char *unmeasured = caption_unmeasured(&chrome->export->recording->info);
	if (unmeasured != NULL)
		write_metadata(chrome, "process_labels", BAR_NONE, "labels", unmeasured);
	for (size_t lane = 0; lane < chrome->lanes.len; lane++)
		write_name(chrome, "thread_name", lane, caption_lane(&chrome->lanes.lanes[lane]));
}

/* ---- bars ---- */

static void begin_bar(struct chrome *chrome, const struct bar *bar, const char *phase, const char *async_phase)
{
	bool is_first = bar->row == STMLOG_ROW_TRANSACTIONS;
	begin_event(chrome, is_first ? phase : async_phase, bar->lane);
	if (!is_first)
		fprintf(chrome->export->out, ",\"id\":\"%" PRIu32 ".%d\"", chrome->lanes.lanes[bar->lane].thread,
			(int)bar->row);
}

static void open_bar(void *arg, const struct bar *bar)
{
	struct chrome *chrome = arg;
	caption_bar(chrome->captions, bar, &chrome->caption);
	begin_bar(chrome, bar, "B", "b");
	write_time(chrome, bar->from_ns);
	write_caption(chrome);
	end_event(chrome);
}

/* An asynchronous end belongs to the beginning that has its category and name. */
static void close_bar(void *arg, const struct bar *bar)
{
	struct chrome *chrome = arg;
	begin_bar(chrome, bar, "E", "e");
	write_time(chrome, bar->until_ns);
	if (bar->row != STMLOG_ROW_TRANSACTIONS) {
		caption_bar(chrome->captions, bar, &chrome->caption);
		write_member(chrome, "cat", chrome->caption.category);
		write_member(chrome, "name", chrome->caption.name);
	}
	end_event(chrome);
}

/* ---- points ---- */

static void write_count(struct chrome *chrome, const struct bar_point *point)
{
	const struct stmlog_event_record *event = &chrome->export->recording->events[point->index];
	begin_event(chrome, "C", point->lane);
	fprintf(chrome->export->out, ",\"id\":\"%" PRIu32 "\"", event->thread);
	write_time(chrome, point->time_ns);
	write_member(chrome, "name", caption_counter(chrome->captions, event));
	fprintf(chrome->export->out, ",\"args\":{\"value\":%" PRIu64 "}",
		event->argument <= INT64_MAX ? event->argument : INT64_MAX);
	end_event(chrome);
}

static void write_arrow(struct chrome *chrome, const struct bar_point *point)
{
	begin_event(chrome, point->is_arrow_end ? "f" : "s", point->lane);
	write_time(chrome, point->time_ns);
	fprintf(chrome->export->out, ",\"cat\":\"arrow\",\"name\":\"arrow\",\"id\":%" PRIu64 "%s", point->arrow,
		point->is_arrow_end ? ",\"bp\":\"e\"" : "");
	end_event(chrome);
}

static void write_point(void *arg, const struct bar_point *point)
{
	struct chrome *chrome = arg;
	if (chrome->export->recording->events[point->index].kind == STMLOG_EVENT_COUNTER) {
		write_count(chrome, point);
		return;
	}
	caption_point(chrome->captions, point, &chrome->caption);
	begin_event(chrome, point->arrow != 0 ? "B" : "i", point->lane);
	write_time(chrome, point->time_ns);
	if (point->arrow == 0)
		write_member(chrome, "s", "t");
	write_caption(chrome);
	end_event(chrome);
	if (point->arrow == 0)
		return;
	write_arrow(chrome, point);
	begin_event(chrome, "E", point->lane);
	write_time(chrome, point->time_ns);
	end_event(chrome);
}

void export_chrome(const struct export *export)
{
	static const struct bar_sink sink = {open_bar, close_bar, write_point};
	struct chrome chrome = {.export = export, .lanes = bar_lanes_of(export->recording)};
	chrome.captions = captions_create(export->recording, export->symbols);
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", export->out);
	write_names(&chrome);
	bars_walk(export->recording, &chrome.lanes, &sink, &chrome, export->progress);
	fputs("\n]}\n", export->out);
	captions_destroy(&chrome.captions);
	bar_lanes_fini(&chrome.lanes);
}

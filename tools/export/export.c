/* SPDX-License-Identifier: MIT
 * The table of formats, and the two that are short: a timeline as text, and the picture of tasks. */
#include "export.h"

#include <inttypes.h>
#include <stdlib.h>

#include <stmlog/causes.h>
#include <stmlog/timeline.h>

#include "check.h"
#include "event.h"
#include "number.h"
#include "picture.h"
#include "utf8.h"

/* ---- text ----
 * A line for each event with its index, time since the recording began, thread, kind, and the other members that it
 * has; below them the places of the events. */

static void print_clean(FILE *out, const char *before, const char *text)
{
	char *clean = utf8_clean(text, UTF8_HIDE_CONTROLS);
	fprintf(out, "%s%s", before, clean);
	free(clean);
}

static void print_time(FILE *out, uint64_t began_ns, uint64_t time_ns)
{
	fputs(number_since(began_ns, time_ns).text, out);
}

static void print_event(const struct export *export, size_t index)
{
	const struct recording *recording = export->recording;
	const struct stmlog_event_record *event = &recording->events[index];
	const char *detail = event_detail_name(event);
	struct stmlog_place_record place = event_place(recording, event);
	fprintf(export->out, "%zu ", index);
	print_time(export->out, recording->info.began_ns, event->time_ns);
	fprintf(export->out, " %" PRIu32 " %s", event->thread, stmlog_event_name(event->kind));
	if (event_has_cause(event))
		fprintf(export->out, " %s %s", stmlog_reason_name(event->reason),
			stmlog_contention_name(event->contention));
	if (detail != NULL)
		fprintf(export->out, " %s", detail);
	if (event_other(event) != 0)
		fprintf(export->out, " other=%" PRIu32, event_other(event));
	if (event_has_unknown_other(event))
		fputs(" other=unknown", export->out);
	if (event->argument != 0)
		fprintf(export->out, " argument=%" PRIu64, event->argument);
	if (event_value(event) != 0)
		fprintf(export->out, " value=%" PRIu64, event_value(event));
	if (event->kind == STMLOG_EVENT_MISSING) {
		fputs(" until=", export->out);
		print_time(export->out, recording->info.began_ns, event_latest_ns(event));
	}
	if (place.word != 0)
		print_clean(export->out, " ", recording_string(recording, place.word));
	if (event->kind != STMLOG_EVENT_MISSING && event->place != 0)
		fprintf(export->out, " place=%" PRIu32, event->place);
	fputc('\n', export->out);
}

static void print_frame(FILE *out, const struct symbol_frame *frame)
{
	if (frame->function != NULL)
		print_clean(out, "  ", frame->function);
	else
		fputs("  ?", out);
	if (frame->file != NULL) {
		char *position = symbol_position(frame->file, frame->line, frame->last_line);
		print_clean(out, " ", position);
		free(position);
	} else {
		print_clean(out, " ", frame->module != NULL ? frame->module : "");
		fprintf(out, "+0x%" PRIx64, frame->offset);
	}
	fputc('\n', out);
}

static void print_place(const struct export *export, size_t number)
{
	const struct stmlog_place_record *place = &export->recording->places[number];
	struct recording_traceback traceback = recording_traceback(export->recording, place->traceback);
	fprintf(export->out, "place %zu%s\n", number, traceback.is_known ? "" : " unknown");
	for (size_t i = 0; i < traceback.len; i++) {
		const struct symbol_site *site = symbols_site(export->symbols, traceback.sites[i]);
		for (size_t k = 0; k < site->len; k++)
			print_frame(export->out, &site->frames[k]);
	}
	if (traceback.is_cut)
		fputs("  ...\n", export->out);
}

void export_text(const struct export *export)
{
	for (size_t i = 0; i < export->recording->event_count; i++) {
		print_event(export, i);
		progress_step(export->progress, i);
	}
	if (export->recording->info.attempts_without_events != 0)
		fprintf(export->out, "unmeasured attempts=%" PRIu64 "\n",
			export->recording->info.attempts_without_events);
	for (size_t i = 1; i < export->recording->place_count; i++)
		print_place(export, i);
}

/* ---- graph ---- */

void export_graph(const struct export *export)
{
	REQUIRES(export->work != NULL);
	struct picture picture = picture_of(export->recording, export->work);
	picture_write(&picture, export->out);
	picture_fini(&picture);
}

/* ---- the table ---- */

const struct exporter exporters[] = {
	{"pprof", "what was lost, and all time by call path, for 'go tool pprof' and what else reads its profiles",
		EXPORT_WITHOUT_TIMELINE, export_pprof, EXPORT_BINARY | EXPORT_OF},
	{"folded", "one of the two as folded stacks, for flame graphs", EXPORT_WITHOUT_TIMELINE, export_folded,
		EXPORT_OF},
	{"json", "all of a recording as JSON: report, profile, and each event of a timeline", EXPORT_WITH_TIMELINE,
		export_json, 0},
	{"text", "a timeline for people, a line per event", EXPORT_OF_TIMELINE, export_text, 0},
	{"perfetto", "a timeline for Perfetto (TrackEvent)", EXPORT_OF_TIMELINE, export_perfetto, EXPORT_BINARY},
	{"graph", "tasks as a picture: their fork-join graph, and the tree of their creations", EXPORT_OF_TIMELINE,
		export_graph, EXPORT_TASKS},
	{0},
};

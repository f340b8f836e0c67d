/* SPDX-License-Identifier: MIT
 * A timeline as text: a line for each event with its index, time since the recording began, thread, kind, and the other
 * members that it has; below them the places of the events, the segments of tasks, and the regions. */
#include <inttypes.h>
#include <stdlib.h>

#include <stmlog/timeline.h>

#include "cause.h"
#include "event.h"
#include "export.h"
#include "number.h"
#include "utf8.h"

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
		fprintf(export->out, " %s %s", cause_reason_name(event->reason),
			cause_contention_name(event->contention));
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

/* " until 1.000000000 (12)": a time and its event; without an event the segment or region is open at the end. */
static void print_bound(const struct export *export, const char *word, uint64_t time_ns, size_t event)
{
	fprintf(export->out, " %s ", word);
	print_time(export->out, export->recording->info.began_ns, time_ns);
	if (event != TASKS_NONE)
		fprintf(export->out, " (%zu)", event);
}

static void print_segment(const struct export *export, size_t ordinal)
{
	const struct tasks *tasks = &export->work->tasks;
	const struct segment *segment = &tasks->segments[ordinal];
	fprintf(export->out, "segment %zu task=%" PRIu64 " thread=%" PRIu32, ordinal,
		tasks->tasks[segment->task].number, segment->thread);
	print_bound(export, "from", segment->from_ns, segment->begin);
	print_bound(export, "until", segment->until_ns, segment->end);
	for (size_t i = 0; i < segment->child_count; i++)
		fprintf(export->out, "%s%zu", i == 0 ? " leads to " : ", ", segment->children[i]);
	fputc('\n', export->out);
}

/* " handled 5 to 6 thread=1" */
static void print_handling(const struct export *export, const struct operation *operation)
{
	if (operation->handle == TASKS_NONE)
		return;
	fprintf(export->out, " handled %zu", operation->handle);
	if (operation->handle_end != TASKS_NONE)
		fprintf(export->out, " to %zu", operation->handle_end);
	fprintf(export->out, " thread=%" PRIu32, export->recording->events[operation->handle].thread);
}

static void print_operation(const struct export *export, size_t ordinal)
{
	const struct tasks *tasks = &export->work->tasks;
	const struct operation *operation = &tasks->operations[ordinal];
	fprintf(export->out, "operation %zu task=%" PRIu64 " begin=%zu", ordinal, tasks->tasks[operation->task].number,
		operation->block);
	if (operation->end != TASKS_NONE)
		fprintf(export->out, " end=%zu", operation->end);
	print_handling(export, operation);
	fputc('\n', export->out);
}

static void print_region(const struct export *export, size_t ordinal)
{
	const struct region *region = &export->work->regions.regions[ordinal];
	fprintf(export->out, "region %zu", ordinal);
	print_clean(export->out, " ", region->tag);
	fprintf(export->out, " thread=%" PRIu32 " begin=%zu", region->thread, region->begin);
	if (region->end != TASKS_NONE)
		fprintf(export->out, " end=%zu", region->end);
	if (region->parent != TASKS_NONE)
		fprintf(export->out, " in=%zu", region->parent);
	fprintf(export->out, " work=%" PRIu64 " own_ns=%" PRIu64 " time_ns=%" PRIu64 "\n", region->work, region->own_ns,
		region->time_ns);
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
	for (size_t i = 0; i < export->work->tasks.segment_count; i++)
		print_segment(export, i);
	for (size_t i = 0; i < export->work->tasks.operation_count; i++)
		print_operation(export, i);
	for (size_t i = 0; i < export->work->regions.len; i++)
		print_region(export, i);
}

/* SPDX-License-Identifier: MIT
 * A recording as one JSON object: the report, the profile and, if there is one, the timeline: its events with all their
 * members, then their places, each once, then the tasks, their segments and waits, and the regions. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <jansson.h>
#include <stmlog/causes.h>
#include <stmlog/timeline.h>

#include "contexts.h"
#include "event.h"
#include "export.h"
#include "json_value.h"
#include "output.h"
#include "report_json.h"

/* Takes over the value. */
static void write_value(const struct export *export, json_t *value)
{
	json_value_write(export->out, value, JSON_COMPACT);
}

static struct report report_of(const struct export *export)
{
	return (struct report){
		.recording = export->recording, .symbols = export->symbols, .options = {.top = REPORT_ALL}};
}

/* ---- tasks and regions: they refer to each other by ordinals, and to events by their indices ---- */

/* Writes a member of an object, and `before` in front of it. Integers are limited as in json_value.h. A task is written
 * number by number, since it may have as many segments as there are events. */
static void write_number(const struct export *export, const char *before, const char *name, uint64_t number)
{
	fprintf(export->out, "%s\"%s\": %" PRIu64, before, name, number <= INT64_MAX ? number : INT64_MAX);
}

static void write_ordinal(const struct export *export, const char *before, const char *name, size_t ordinal)
{
	if (ordinal != WORK_NONE)
		write_number(export, before, name, ordinal);
	else
		fprintf(export->out, "%s\"%s\": null", before, name);
}

/* JSON has no infinity: it becomes null. */
static void write_real(const struct export *export, const char *before, const char *name, double real)
{
	fprintf(export->out, "%s\"%s\": ", before, name);
	write_value(export, isinf(real) ? json_null() : json_real(real));
}

static void write_task(const struct export *export, size_t ordinal)
{
	const struct task *task = &export->work->tasks[ordinal];
	write_number(export, "{", "task", task->number);
	write_ordinal(export, ", ", "created_by", task->created_by);
	write_ordinal(export, ", ", "parent", task->parent);
	fputs(", \"segments\": [", export->out);
	for (size_t i = 0; i < task->segment_count; i++)
		fprintf(export->out, "%s%zu", i > 0 ? ", " : "", task->first_segment + i);
	fputs("]}", export->out);
}

static void write_segment(const struct export *export, size_t ordinal)
{
	const struct segment *segment = &export->work->segments[ordinal];
	write_number(export, "{", "task", segment->task);
	write_number(export, ", ", "thread", segment->thread);
	write_number(export, ", ", "begin", segment->begin);
	write_ordinal(export, ", ", "end", segment->end);
	write_number(export, ", ", "from_ns", segment->from_ns);
	write_number(export, ", ", "until_ns", segment->until_ns);
	fputs(", \"children\": [", export->out);
	for (size_t i = 0; i < segment->child_count; i++)
		fprintf(export->out, "%s%zu", i > 0 ? ", " : "", segment->children[i]);
	fputs("]}", export->out);
}

static void write_wait(const struct export *export, size_t ordinal)
{
	const struct task_wait *wait = &export->work->waits[ordinal];
	fprintf(export->out, "{\"wait\": \"%s\"", task_wait_names[wait->kind]);
	write_number(export, ", ", "task", wait->task);
	write_number(export, ", ", "begin", wait->begin);
	write_ordinal(export, ", ", "end", wait->end);
	write_ordinal(export, ", ", "handled_by", wait->handle);
	write_ordinal(export, ", ", "handled_until", wait->handle_end);
	fputs("}", export->out);
}

static void write_region(const struct export *export, size_t ordinal)
{
	const struct region *region = &export->work->regions[ordinal];
	fputs("{\"tag\": ", export->out);
	write_value(export, string(region->tag));
	write_number(export, ", ", "thread", region->thread);
	write_number(export, ", ", "begin", region->begin);
	write_ordinal(export, ", ", "end", region->end);
	write_ordinal(export, ", ", "parent", region->parent);
	write_number(export, ", ", "work", region->work);
	write_number(export, ", ", "own_ns", region->own_ns);
	write_number(export, ", ", "time_ns", region->time_ns);
	write_real(export, ", ", "speed", region->speed);
	write_real(export, ", ", "relative", region->relative);
	fputs("}", export->out);
}

static void write_array(const struct export *export, const char *name, size_t len,
	void (*write_one)(const struct export *export, size_t ordinal))
{
	fprintf(export->out, ",\n \"%s\": [", name);
	for (size_t i = 0; i < len; i++) {
		fputs(i > 0 ? ",\n  " : "\n  ", export->out);
		write_one(export, i);
	}
	fputs("]", export->out);
}

static void write_work(const struct export *export)
{
	const struct work *work = export->work;
	write_array(export, "tasks", work->task_count, write_task);
	write_array(export, "segments", work->segment_count, write_segment);
	write_array(export, "waits", work->wait_count, write_wait);
	write_array(export, "regions", work->region_count, write_region);
}

/* ---- report and profile ---- */

static void write_report(const struct export *export)
{
	struct printer printer = file_printer(export->out);
	struct report report = report_of(export);
	report.out = &printer;
	fputs(",\n \"report\": ", export->out);
	report_json(&report);
}

/* The root and the overflow have all members of a frame, too. */
static json_t *context_object(const struct contexts *contexts, size_t index)
{
	const struct context *context = &contexts->at[index];
	const char *name = context->frame == NULL ? contexts_fixed_name(contexts, index) : NULL;
	json_t *object = report_json_frame_or(context->frame, name);
	json_object_set_new(
		object, "parent", context->parent != CONTEXTS_NONE ? integer(context->parent) : json_null());
	json_object_set_new(object, "calls", integer(context->calls));
	json_object_set_new(object, "aborted_ns", integer(context->aborted_ns));
	json_object_set_new(object, "paused_ns", integer(context->paused_ns));
	json_object_set_new(object, "waiting_ns", integer(context->waiting_ns));
	json_object_set_new(object, "committed_ns", integer(context->committed_ns));
	return object;
}

static void write_profile(const struct export *export)
{
	write_report(export);
	struct contexts contexts = contexts_init(export->recording, export->symbols);
	fputs(",\n \"profile\": [", export->out);
	for (size_t i = 0; i < contexts.len; i++) {
		fputs(i > 0 ? ",\n  " : "\n  ", export->out);
		write_value(export, context_object(&contexts, i));
	}
	fputs("]", export->out);
	contexts_fini(&contexts);
}

/* ---- events ---- */

static json_t *event_object(const struct stmlog_event_record *event)
{
	const char *detail = event_detail_name(event);
	bool has_cause = event_has_cause(event), is_gap = event->kind == STMLOG_EVENT_MISSING;
	json_t *object = json_pack("{s:o, s:o, s:s, s:o}", "time_ns", integer(event->time_ns), "thread",
		integer(event->thread), "kind", stmlog_event_name(event->kind), "argument", integer(event->argument));
	if (is_gap)
		json_object_set_new(object, "latest_ns", integer(event_latest_ns(event)));
	else
		json_object_set_new(object, "place", integer(event->place));
	if (event_other(event) != 0)
		json_object_set_new(object, "other", integer(event_other(event)));
	if (event_value(event) != 0)
		json_object_set_new(object, "value", integer(event_value(event)));
	if (has_cause) {
		json_object_set_new(object, "reason", string(stmlog_reason_name(event->reason)));
		json_object_set_new(object, "contention", string(stmlog_contention_name(event->contention)));
	}
	if (detail != NULL)
		json_object_set_new(object, "detail", string(detail));
	return object;
}

static void write_events(const struct export *export)
{
	const struct recording *recording = export->recording;
	fputs(",\n \"events\": [", export->out);
	for (size_t i = 0; i < recording->event_count; i++) {
		fputs(i > 0 ? ",\n  " : "\n  ", export->out);
		write_value(export, event_object(&recording->events[i]));
		progress_step(export->progress, i);
	}
	fputs("]", export->out);
}

static json_t *place_object(const struct export *export, const struct stmlog_place_record *place)
{
	struct report report = {.recording = export->recording, .symbols = export->symbols};
	json_t *object = report_json_traceback(&report, place->traceback);
	if (place->word != 0)
		json_object_set_new(object, "word", string(recording_string(export->recording, place->word)));
	return object;
}

static void write_places(const struct export *export)
{
	fputs(",\n \"places\": [", export->out);
	for (size_t i = 0; i < export->recording->place_count; i++) {
		fputs(i > 0 ? ",\n  " : "\n  ", export->out);
		write_value(export, place_object(export, &export->recording->places[i]));
	}
	fputs("]", export->out);
}

/* ---- the whole ---- */

static json_t *threads_of(const struct recording *recording)
{
	json_t *array = json_array();
	for (size_t i = 0; i < recording->thread_count; i++)
		json_array_append_new(array, json_pack("{s:o, s:o}", "id", integer(recording->threads[i].id), "name",
						     string(recording_string(recording, recording->threads[i].name))));
	return array;
}

void export_json(const struct export *export)
{
	const struct recording_info *info = &export->recording->info;
	fputs("{\"stmlog\": ", export->out);
	write_value(export, json_pack("{s:i, s:o}", "format", STMLOG_FILE_VERSION, "version", string(info->version)));
	struct report report = report_of(export);
	fputs(",\n \"method\": ", export->out);
	write_value(export, report_json_method(info));
	fputs(",\n \"processors\": ", export->out);
	write_value(export, report_json_processors(info));
	fputs(",\n \"hardware\": ", export->out);
	write_value(export, report_json_hardware(&report.recording->info));
	fputs(",\n \"ending\": ", export->out);
	write_value(export, report_json_ending(info));
	fputs(",\n \"clock\": ", export->out);
	write_value(export, string(info->clock));
	fprintf(export->out, ",\n \"began_ns\": %" PRIu64 ",\n \"wall_ns\": %" PRIu64, info->began_ns, info->wall_ns);
	fprintf(export->out, ",\n \"events_missing\": %" PRIu64, info->events_missing);
	fprintf(export->out, ",\n \"attempts_without_events\": %" PRIu64, info->attempts_without_events);
	fputs(",\n \"threads\": ", export->out);
	write_value(export, threads_of(export->recording));
	if (export->recording->has_timeline) {
		write_events(export);
		write_places(export);
		write_work(export);
	}
	write_profile(export);
	fputs("}\n", export->out);
}

/* SPDX-License-Identifier: MIT
 * A recording as one JSON object: the report, the profile and, if there is one, the timeline: its events with all their
 * members, then their places, each once, then tasks and regions. */
#include <inttypes.h>

#include <jansson.h>
#include <stmlog/timeline.h>

#include "cause.h"
#include "event.h"
#include "export.h"
#include "export_json.h"
#include "json_value.h"
#include "report_json.h"

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
	if (has_cause) {
		json_object_set_new(object, "reason", string(cause_reason_name(event->reason)));
		json_object_set_new(object, "contention", string(cause_contention_name(event->contention)));
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
		export_json_value(export, event_object(&recording->events[i]));
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
		export_json_value(export, place_object(export, &export->recording->places[i]));
	}
	fputs("]", export->out);
}

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
	export_json_value(
		export, json_pack("{s:i, s:o}", "format", STMLOG_FILE_VERSION, "version", string(info->version)));
	struct report report = export_report(export);
	fputs(",\n \"method\": ", export->out);
	export_json_value(export, report_json_method(info));
	fputs(",\n \"processors\": ", export->out);
	export_json_value(export, report_json_processors(info));
	fputs(",\n \"hardware\": ", export->out);
	export_json_value(export, report_json_hardware(&report));
	fputs(",\n \"ending\": ", export->out);
	export_json_value(export, report_json_ending(info));
	fputs(",\n \"clock\": ", export->out);
	export_json_value(export, string(info->clock));
	fprintf(export->out, ",\n \"began_ns\": %" PRIu64 ",\n \"wall_ns\": %" PRIu64, info->began_ns, info->wall_ns);
	fprintf(export->out, ",\n \"events_missing\": %" PRIu64, info->events_missing);
	fprintf(export->out, ",\n \"attempts_without_events\": %" PRIu64, info->attempts_without_events);
	fputs(",\n \"threads\": ", export->out);
	export_json_value(export, threads_of(export->recording));
	if (export->recording->has_timeline) {
		write_events(export);
		write_places(export);
		export_json_work(export);
	}
	export_json_profile(export);
	fputs("}\n", export->out);
}

/* SPDX-License-Identifier: MIT
 * The rows of the first screen as JSON. */
#include "json_value.h"
#include "report_json.h"
#include "report_memory.h"
#include "screen.h"

static json_t *frames_of(const struct report *report, uint32_t reference)
{
	struct recording_traceback traceback = recording_traceback(report->recording, reference);
	struct report_frames frames = report_frames_of(report, &traceback);
	json_t *array = json_array();
	for (size_t i = 0; i < frames.len; i++)
		json_array_append_new(array, report_json_frame(frames.at[i]));
	memory_free(frames.at);
	return array;
}

static json_t *losers_json(const struct report *report, const struct ranking_row *row)
{
	json_t *array = json_array();
	for (size_t i = 0; i < row->loser_count; i++)
		json_array_append_new(
			array, json_pack("{s:o, s:f, s:o}", "text", string(row->losers[i].text), "share",
				       row->losers[i].part, "frames", frames_of(report, row->losers[i].traceback)));
	return array;
}

static json_t *objects_json(const struct ranking_row *row)
{
	json_t *array = json_array();
	for (size_t i = 0; i < RANKING_OBJECTS_MAX; i++)
		if (row->objects[i] != NULL)
			json_array_append_new(array, string(row->objects[i]));
	return array;
}

static json_t *row_json(const struct report *report, const struct ranking_row *row)
{
	static const char *const kinds[RANKING_KINDS] = {"transaction", "libitm", "unknown"};
	bool has_data = row->data != RANKING_DATA_KINDS;
	json_t *object = json_pack("{s:s, s:o, s:o, s:o}", "kind", kinds[row->kind], "name", string(row->name), "line",
		string(row->line), "frames", frames_of(report, row->traceback));
	report_json_estimate(object, &row->lost);
	json_object_set_new(object, "share", json_real(row->share));
	json_object_set_new(object, "count", integer(row->count));
	json_object_set_new(object, "may_be_higher", json_boolean(row->may_be_higher));
	json_object_set_new(object, "losers", losers_json(report, row));
	json_object_set_new(object, "how", json_string(ranking_how_name(row->how)));
	json_object_set_new(object, "how_share", json_real(row->how_part));
	json_object_set_new(object, "no_processor_ns", integer(row->off_processor_ns));
	json_object_set_new(object, "call", row->call != NULL ? string(row->call) : json_null());
	json_object_set_new(object, "data", has_data ? json_string(ranking_data_name(row->data)) : json_null());
	json_object_set_new(object, "objects", objects_json(row));
	json_object_set_new(object, "text",
		json_pack("{s:o, s:o, s:o}", "how", string(row->how_text), "data", string(row->data_text), "try",
			string(row->try_text)));
	return object;
}

/* The lines above the first screen. */
static void write_warnings(const struct report *report)
{
	struct screen_warnings warnings = screen_warnings_of(report->recording);
	size_t written = 0;
	report_json_array(report, "warnings");
	for (size_t i = 0; i < SCREEN_WARNINGS; i++) {
		if (warnings.at[i] != NULL)
			report_json_element(report, written++, string(warnings.at[i]));
		memory_free(warnings.at[i]);
	}
	printer_text(report->out, "]");
}

/* What the rows leave of all lost time. */
static json_t *others_json(const struct ranking *ranking)
{
	json_t *object = json_pack("{s:o}", "rows", integer(ranking->small_count));
	report_json_estimate(object, &ranking->small);
	json_object_set_new(object, "preempted_ns", integer(ranking->off_ns));
	json_object_set_new(object, "unmeasured_ns", integer(ranking->unmeasured_ns));
	json_object_set_new(object, "retried_ns", integer(ranking->retried_ns));
	json_object_set_new(object, "retries", integer(ranking->retries));
	return object;
}

void report_json_rows(const struct report *report)
{
	struct ranking ranking = ranking_of(report);
	write_warnings(report);
	report_json_array(report, "rows");
	for (size_t i = 0; i < ranking.len; i++)
		report_json_element(report, i, row_json(report, &ranking.rows[i]));
	printer_text(report->out, "]");
	report_json_member(report, "other_rows", others_json(&ranking));
	report_json_member(report, "wakes", ranking.wakes_text != NULL ? string(ranking.wakes_text) : json_null());
	ranking_fini(&ranking);
}

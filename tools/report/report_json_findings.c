/* SPDX-License-Identifier: MIT
 * The findings as JSON. */
#include "findings.h"
#include "json_value.h"
#include "report_frames.h"
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

static json_t *because_of(const struct report *report, const struct finding *finding)
{
	json_t *objects = json_array();
	for (size_t i = 0; i < FINDING_OBJECTS; i++)
		if (finding->objects[i] != NULL)
			json_array_append_new(objects, string(finding->objects[i]));
	return json_pack("{s:o, s:o, s:o}", "frames", frames_of(report, finding->because), "calls",
		finding->call != NULL ? string(finding->call->function) : json_null(), "objects", objects);
}

static json_t *finding_json(const struct report *report, const struct finding *finding)
{
	const struct finding_rule_row *row = finding_rule_row(finding->rule);
	json_t *object = json_pack("{s:s, s:o, s:o, s:o}", "rule", row->name, "lost_ns", integer(finding->lost.ns),
		"lost_low_ns", integer(finding->lost.low_ns), "lost_high_ns", integer(finding->lost.high_ns));
	json_object_set_new(object, "count", integer(finding->count));
	json_object_set_new(object, "where", frames_of(report, finding->where));
	json_object_set_new(object, "because", because_of(report, finding));
	json_object_set_new(object, "saves_at_most_ns", integer(finding->saves_at_max_ns));
	json_object_set_new(object, "text", string(finding->text));
	json_object_set_new(object, "parts",
		json_pack("{s:o, s:o, s:o, s:o}", "where", string(finding->where_text), "because",
			string(finding->because_text), "share", string(finding->share_text), "via",
			string(finding->via_text)));
	json_object_set_new(object, "try", string(finding->advice));
	return object;
}

/* The lines above the first screen. */
static void write_warnings(const struct report *report, const struct findings *findings)
{
	struct screen_warnings warnings = screen_warnings_of(report->recording, findings);
	size_t written = 0;
	report_json_array(report, "warnings");
	for (size_t i = 0; i < SCREEN_WARNINGS; i++) {
		if (warnings.at[i] != NULL)
			report_json_element(report, written++, string(warnings.at[i]));
		memory_free(warnings.at[i]);
	}
	printer_text(report->out, "]");
}

void report_json_findings(const struct report *report)
{
	struct findings findings = findings_of(report);
	write_warnings(report, &findings);
	report_json_array(report, "findings");
	for (size_t i = 0; i < findings.len; i++)
		report_json_element(report, i, finding_json(report, &findings.at[i]));
	printer_text(report->out, "]");
	findings_fini(&findings);
}

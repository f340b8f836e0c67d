/* SPDX-License-Identifier: MIT
 * What replaying has told of the program as a whole, as JSON; the gain of a finding stands in the finding. */
#include <string.h>

#include "json_value.h"
#include "report_json.h"

/* null: it was not replayed. */
static json_t *gain_json(const struct stmlog_gain_record *gain)
{
	if (gain == NULL)
		return json_null();
	return json_pack("{s:f, s:f, s:f}", "ratio", gain->ratio, "low", gain->low, "high", gain->high);
}

static json_t *methods_of(const struct recording *recording)
{
	static const char before_name[] = "method-";
	json_t *object = json_object();
	for (size_t i = 0; i < recording->gain_count; i++) {
		const struct stmlog_gain_record *gain = &recording->gains[i];
		if (strncmp(gain->name, before_name, sizeof before_name - 1) == 0)
			json_object_set_new(object, gain->name + sizeof before_name - 1, gain_json(gain));
	}
	return object;
}

void report_json_replay(const struct report *report)
{
	const struct recording *recording = report->recording;
	const struct stmlog_gain_record *check = recording_gain(recording, "replay", 0);
	if (check == NULL) {
		report_json_member(report, "replay", json_null());
		return;
	}
	report_json_member(report, "replay",
		json_pack("{s:f, s:o, s:o, s:o}", "off", check->high, "one_thread",
			gain_json(recording_gain(recording, "one-thread", RECORDING_ANY_NUMBER)), "no_shared_data",
			gain_json(recording_gain(recording, "no-shared-data", 0)), "methods", methods_of(recording)));
}

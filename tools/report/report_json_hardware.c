/* SPDX-License-Identifier: MIT
 * The JSON report's members on hardware transactions and the machine. */
#include "hardware.h"
#include "json_value.h"
#include "report_json.h"

static json_t *causes_object(const struct hardware *hardware)
{
	json_t *object = json_object();
	for (size_t i = 0; i < HARDWARE_CAUSES; i++)
		json_object_set_new(object, hardware->causes[i].word, integer(hardware->causes[i].aborts));
	return object;
}

static json_t *lazy_array(const struct report *report)
{
	json_t *array = json_array();
	struct places *places = places_create(report->recording, report->symbols);
	struct lazy_places lazy = lazy_places_of(report->recording, report->symbols, places);
	for (size_t i = 0; i < lazy.len && i < report->options.top; i++) {
		const struct lazy_place *place = &lazy.at[i];
		json_array_append_new(
			array, json_pack("{s:o, s:o, s:o}", "local", report_json_place(places, place->place), "aborts",
				       integer(place->aborts), "unfriendly", integer(place->unfriendly)));
	}
	lazy_places_fini(&lazy);
	places_destroy(&places);
	return array;
}

json_t *report_json_hardware(const struct report *report)
{
	struct hardware hardware = hardware_of(&report->recording->info);
	if (!hardware.is_known)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "attempts", integer(hardware.attempts), "aborts",
		integer(hardware.aborts), "by_cause", causes_object(&hardware), "fallbacks",
		integer(hardware.fallbacks), "may_bind_lazily", lazy_array(report));
}

json_t *report_json_method(const struct recording_info *info)
{
	return info->method[0] != '\0' ? string(info->method) : json_null();
}

json_t *report_json_processors(const struct recording_info *info)
{
	return info->processors != 0 ? integer(info->processors) : json_null();
}

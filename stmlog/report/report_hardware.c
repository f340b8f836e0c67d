/* SPDX-License-Identifier: MIT
 * Counts of hardware transactions, and the places where lazy binding may make all of them abort. */
#include <inttypes.h>
#include <stdlib.h>

#include "account.h"
#include "hardware.h"
#include "json_value.h"
#include "lazy.h"
#include "number.h"
#include "report.h"
#include "report_json.h"

/* ---- text ---- */

static void print_causes(const struct report *report, const struct hardware *hardware)
{
	const char *before = " (";
	for (size_t i = 0; i < HARDWARE_CAUSES; i++) {
		const struct hardware_cause *cause = &hardware->causes[i];
		if (cause->aborts == 0)
			continue;
		fprintf(report->out, "%s%s %s", before, cause->name, number_count(cause->aborts).text);
		before = ", ";
	}
	fputs(before[0] == ',' ? ")" : "", report->out);
}

static void print_counts(const struct report *report, const struct hardware *hardware)
{
	uint64_t commits = account_total(report->recording).commits;
	fprintf(report->out, "hardware: %s attempts, aborted %s", number_count(hardware->attempts).text,
		number_count(hardware->aborts).text);
	print_causes(report, hardware);
	fprintf(report->out, ", fallbacks %s", number_count(hardware->fallbacks).text);
	if (commits != 0)
		fprintf(report->out, " = %s of transactions", number_share(hardware->fallbacks, commits).text);
	fputc('\n', report->out);
}

static void print_lazy(const struct report *report)
{
	struct places *places = places_create(report->recording, report->symbols);
	struct lazy_places lazy = lazy_places_of(report->recording, report->symbols, places);
	for (size_t i = 0; i < lazy.len && i < report->options.top; i++) {
		char *place = report_place(report, places, lazy.at[i].place);
		fprintf(report->out,
			"hint: %s of the aborts at %s are of a kind that comes again whatever is tried; a function\n"
			"      called there, as free(), may be bound lazily, which no hardware transaction can do: run "
			"it "
			"with LD_BIND_NOW=1\n",
			number_share(lazy.at[i].unfriendly, lazy.at[i].aborts).text, place);
		free(place);
	}
	lazy_places_fini(&lazy);
	places_destroy(&places);
}

void report_hardware(const struct report *report)
{
	struct hardware hardware = hardware_of(&report->recording->info);
	if (!hardware.is_known)
		return;
	print_counts(report, &hardware);
	print_lazy(report);
}

/* ---- JSON ---- */

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

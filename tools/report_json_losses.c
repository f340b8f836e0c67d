/* SPDX-License-Identifier: MIT
 * What the JSON report says of losses beside the entries: the same added up. */
#include "blame.h"
#include "json_value.h"
#include "report_json.h"

/* A place that is none is told from a function of that name by `known`, and by having no file and no module. */
static json_t *place_of(const struct places *places, uint32_t place)
{
	const struct symbol_frame *frame = places_frame(places, place);
	struct symbol_frame none = {.module = NULL};
	json_t *object = report_json_frame(frame != NULL ? frame : &none);
	if (frame == NULL)
		json_object_set_new(object, "function", string(place_fixed_name(place)));
	json_object_set_new(object, "known", json_boolean(place != PLACE_UNKNOWN));
	return object;
}

static void add_sum(const struct report *report, json_t *object, const struct tally_sum *sum)
{
	json_object_set_new(object, "count", integer(sum->count));
	report_json_lost(object, report->recording, sum);
	json_object_set_new(object, "longest_ns", integer(sum->longest_ns));
	json_object_set_new(object, "overstated_ns", integer(sum->overstated_ns));
	json_object_set_new(object, "wasted", report_json_wasted(report->recording, sum->wasted, sum->wasted_ns));
}

static json_t *pair_of(const struct report *report, struct places *places, const struct tally_row *row)
{
	json_t *object = json_object();
	json_object_set_new(object, "local", place_of(places, (uint32_t)row->key[0]));
	json_object_set_new(object, "remote", place_of(places, (uint32_t)row->key[1]));
	add_sum(report, object, &row->sum);
	return object;
}

static json_t *aggressor_of(const struct report *report, struct places *places, const struct tally_row *row)
{
	(void)places;
	json_t *object = json_object();
	json_object_set_new(object, "remote", report_json_traceback(report, (uint32_t)row->key[0]));
	add_sum(report, object, &row->sum);
	json_object_set_new(object, "victims", integer(row->parts));
	return object;
}

/* Drops the tally. */
static void write_tally(const struct report *report, const char *name, struct tally *tally, struct places *places,
	json_t *(*row_of)(const struct report *report, struct places *places, const struct tally_row *row))
{
	fprintf(report->out, ",\n \"%s\": [", name);
	for (size_t i = 0; i < report_shown(report, tally); i++) {
		report_json_separator(report, i);
		report_json_value(report, row_of(report, places, &tally->rows[i]));
	}
	tally_drop(tally);
	fputs("]", report->out);
}

void report_json_losses(const struct report *report)
{
	struct places *places = places_create(report->recording, report->symbols);
	struct tally pairs = blame_pairs(report->recording, places, report->options.sort);
	struct tally aggressors = blame_aggressors(report->recording, places, report->options.sort);
	write_tally(report, "pairs", &pairs, places, pair_of);
	write_tally(report, "aggressors", &aggressors, places, aggressor_of);
	places_destroy(&places);
}

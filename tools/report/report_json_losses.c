/* SPDX-License-Identifier: MIT
 * The JSON report's sums of losses: by pair, aggressor and site. */
#include "blame.h"
#include "json_value.h"
#include "loss_sums.h"
#include "report_json.h"

/* A share of the run's time; null: that is not known. */
static json_t *saves_at_max(const struct recording *recording, const struct tally_sum *sum)
{
	uint64_t wall_ns = recording->info.wall_ns;
	return wall_ns != 0 ? json_real((double)blame_bound_ns(recording, sum) / (double)wall_ns) : json_null();
}

static json_t *pair_of(const struct report *report, struct places *places, const struct tally_row *row)
{
	json_t *object = json_object();
	json_object_set_new(object, "local", report_json_place(places, (uint32_t)row->key[0]));
	json_object_set_new(object, "remote", report_json_place(places, (uint32_t)row->key[1]));
	report_json_sum(report, object, &row->sum);
	json_object_set_new(object, "saves_at_most", saves_at_max(report->recording, &row->sum));
	return object;
}

static json_t *aggressor_of(const struct report *report, struct places *places, const struct tally_row *row)
{
	(void)places;
	json_t *object = json_object();
	json_object_set_new(object, "remote", report_json_traceback(report, (uint32_t)row->key[0]));
	report_json_sum(report, object, &row->sum);
	json_object_set_new(object, "victims", integer(row->parts));
	return object;
}

/* Calls tally_drop(). */
static void write_tally(const struct report *report, const char *name, struct tally *tally, struct places *places,
	json_t *(*row_of)(const struct report *report, struct places *places, const struct tally_row *row))
{
	report_json_array(report, name);
	for (size_t i = 0; i < report_listed(report, tally); i++)
		report_json_element(report, i, row_of(report, places, tally->rows[i]));
	tally_drop(tally);
	printer_text(report->out, "]");
}

/* Evicted losses have no place; "evicted" tells them from losses at an unknown place. */
static json_t *site_of(const struct report *report, struct places *places, const struct tally_row *row)
{
	json_t *object = json_object();
	bool is_evicted = row->key[0] == LOSS_SUMS_EVICTED;
	json_object_set_new(
		object, "local", is_evicted ? json_null() : report_json_place(places, (uint32_t)row->key[0]));
	json_object_set_new(object, "evicted", json_boolean(is_evicted));
	report_json_sum(report, object, &row->sum);
	json_object_set_new(object, "culprits", is_evicted ? json_null() : integer(row->parts));
	return object;
}

/* One tally at a time: each may be nearly as large as the recording. */
void report_json_losses(const struct report *report)
{
	const struct recording *recording = report->recording;
	enum tally_sort sort = report->options.sort;
	struct places *places = places_create(recording, report->symbols);
	struct tally tally = blame_pairs(recording, places, sort);
	write_tally(report, "pairs", &tally, places, pair_of);
	tally = blame_aggressors(recording, places, sort);
	write_tally(report, "aggressors", &tally, places, aggressor_of);
	tally = loss_sums_by_site(recording, places, sort);
	write_tally(report, "sites", &tally, places, site_of);
	places_destroy(&places);
}

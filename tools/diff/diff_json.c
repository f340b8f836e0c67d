/* SPDX-License-Identifier: MIT
 * Prints a comparison as one JSON object. */
#include <math.h>

#include <stmlog/causes.h>

#include "diff.h"
#include "diff_words.h"
#include "json_value.h"

static json_t *runs_of(const struct diff_side *side)
{
	json_t *files = json_array();
	for (size_t i = 0; i < side->len; i++)
		json_array_append_new(files, string(side->runs[i].path));
	return json_pack("{s:I, s:o}", "runs", (json_int_t)side->len, "files", files);
}

static void add_note(const char *line, void *array)
{
	json_array_append_new(array, string(line));
}

static json_t *notes_of(const struct diff *diff)
{
	json_t *notes = json_array();
	diff_facts_compare(&diff->sides[DIFF_OLD].facts, &diff->sides[DIFF_NEW].facts, add_note, notes);
	return notes;
}

static json_t *traceback_of(const struct diff_traceback *traceback)
{
	json_t *frames = json_array();
	for (size_t i = 0; i < traceback->len; i++) {
		const struct diff_frame *frame = &traceback->frames[i];
		json_array_append_new(
			frames, json_pack("{s:o, s:o, s:I, s:o}", "function", string(frame->function), "file",
					string(frame->file), "line", (json_int_t)frame->line, "last_line",
					frame->last_line != 0 ? integer(frame->last_line) : json_null()));
	}
	return json_pack("{s:b, s:o}", "known", traceback->is_known, "frames", frames);
}

static json_t *side_of(const struct diff *diff, const struct diff_row *row, int side)
{
	const struct statistics_median *median = &row->median[side];
	json_t *values = json_array();
	for (size_t i = 0; i < diff->sides[side].len; i++)
		json_array_append_new(values, json_real(row->values[side][i]));
	return json_pack("{s:f, s:f, s:f, s:f, s:o}", "median", median->value, "low", median->low, "high", median->high,
		"confidence", median->confidence, "values", values);
}

/* Medians and the test of a row, without a verdict. The change is null if the old value is 0. */
static json_t *figures_of(const struct diff *diff, const struct diff_row *row)
{
	double change = diff_change(row);
	return json_pack("{s:o, s:o, s:o, s:f, s:b, s:f}", "old", side_of(diff, row, DIFF_OLD), "new",
		side_of(diff, row, DIFF_NEW), "change", isfinite(change) ? json_real(change) : json_null(), "u",
		row->u.u, "exact", row->u.is_exact, "p", row->u.p);
}

static json_t *diff_json_row_of(const struct diff *diff, const struct diff_row *row)
{
	static const char *const verdicts[] = {
		[DIFF_UNCLEAR] = "unclear", [DIFF_LITTLE] = "little", [DIFF_BETTER] = "better", [DIFF_WORSE] = "worse"};
	json_t *object = figures_of(diff, row);
	json_object_set_new(object, "p_corrected", json_real(row->p));
	json_object_set_new(object, "verdict", json_string(verdicts[row->verdict]));
	json_object_set_new(object, "text",
		json_pack("{s:s, s:s, s:s, s:s, s:s}", "old", diff_words_value(row, row->median[DIFF_OLD].value).text,
			"new", diff_words_value(row, row->median[DIFF_NEW].value).text, "change",
			diff_words_change(row).text, "p", diff_words_p(diff, "", row->p).text, "verdict",
			diff_words_verdict(diff, row)));
	json_object_set_new(object, "is_new", json_boolean(row->is_new));
	json_object_set_new(object, "has_vanished", json_boolean(row->is_gone));
	return object;
}

/* Null if a run has no commits, or the total is the throughput already. */
static json_t *throughput_of(const struct diff *diff)
{
	return diff->has_throughput ? diff_json_row_of(diff, &diff->throughput) : json_null();
}

static json_t *key_of(const struct diff *diff, const struct diff_row *row)
{
	const struct diff_key *key = row->key[DIFF_NEW] != NULL ? row->key[DIFF_NEW] : row->key[DIFF_OLD];
	json_t *object = diff_json_row_of(diff, row);
	json_object_set_new(object, "weight", json_real(row->weight));
	json_object_set_new(object, "evicted", json_boolean(key->is_evicted));
	if (key->is_evicted)
		return object;
	json_object_set_new(object, "reason", json_string(stmlog_reason_name(key->reason)));
	json_object_set_new(object, "contention", json_string(stmlog_contention_name(key->contention)));
	json_object_set_new(object, "detail", string(key->detail));
	json_object_set_new(object, "local", traceback_of(&key->local));
	json_object_set_new(object, "remote", traceback_of(&key->remote));
	return object;
}

static json_t *pairs_of(const struct diff *diff)
{
	json_t *pairs = json_array();
	for (size_t i = 0; i < diff->pairs_len; i++) {
		const struct diff_row *row = &diff->pairs[i];
		const struct diff_key *key = row->key[DIFF_NEW] != NULL ? row->key[DIFF_NEW] : row->key[DIFF_OLD];
		json_t *pair = diff_json_row_of(diff, row);
		json_object_set_new(pair, "local", string(diff_pairs_function(&key->local)));
		json_object_set_new(pair, "remote", string(diff_pairs_function(&key->remote)));
		json_array_append_new(pairs, pair);
	}
	return pairs;
}

static json_t *keys_of(const struct diff *diff)
{
	json_t *keys = json_array();
	for (size_t i = 0; i < diff->len; i++)
		json_array_append_new(keys, key_of(diff, &diff->rows[i]));
	return keys;
}

static json_t *regions_of(const struct diff *diff)
{
	json_t *regions = json_array();
	for (size_t i = 0; i < diff->regions_len; i++) {
		const struct diff_region *region = diff->regions[i];
		json_t *object = diff_json_row_of(diff, &region->judged);
		json_object_set_new(object, "tag", string(region->tag));
		json_object_set_new(object, "metric", json_string(diff_metric_name(region->judged.metric)));
		json_object_set_new(object, "unit", json_string(diff_words_unit(diff, &region->judged)));
		json_object_set_new(object, "is_comparable", json_boolean(region->comparable == DIFF_COMPARABLE));
		json_object_set_new(object, "weight", json_real(region->judged.weight));
		json_object_set_new(object, "work", figures_of(diff, &region->work));
		json_object_set_new(object, "time_ns", figures_of(diff, &region->time));
		json_array_append_new(regions, object);
	}
	return regions;
}

void diff_json(const struct diff *diff, FILE *out)
{
	json_t *too_small = json_pack("{s:I, s:f}", "keys", (json_int_t)diff->too_small, "below", diff->min_weight);
	json_t *object = json_pack("{s:s, s:s, s:f, s:f, s:o, s:o, s:o, s:b, s:I, s:o, s:o, s:o, s:o, s:o, s:o}",
		"metric", diff_metric_name(diff->options.metric), "unit", diff_unit(diff), "alpha", diff->options.alpha,
		"threshold", diff->options.threshold, "old", runs_of(&diff->sides[DIFF_OLD]), "new",
		runs_of(&diff->sides[DIFF_NEW]), "notes", notes_of(diff), "is_decided", diff->is_decided, "regressions",
		(json_int_t)diff->worse, "total", diff_json_row_of(diff, &diff->whole), "throughput",
		throughput_of(diff), "too_small", too_small, "pairs", pairs_of(diff), "keys", keys_of(diff), "regions",
		regions_of(diff));
	json_value_write(out, object, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	fputc('\n', out);
}

/* SPDX-License-Identifier: MIT
 * What is foreseen, as JSON. */
#include <jansson.h>

#include "foresee.h"
#include "json_value.h"

static json_t *number_or_null(double value)
{
	return value > 0 ? json_real(value) : json_null();
}

static json_t *check_of(const struct foresee_check *check)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "recorded_per_s", number_or_null(check->recorded_per_s),
		"replayed_per_s", number_or_null(check->replayed_per_s), "recorded_attempts_per_commit",
		number_or_null(check->recorded_per_commit), "replayed_attempts_per_commit",
		number_or_null(check->replayed_per_commit), "off",
		check->replayed_per_s > 0 ? json_real(check->off) : json_null(), "why_not", string(check->why_not));
}

static json_t *ratio_of(const struct foresee_ratio *ratio)
{
	return json_pack("{s:o, s:o, s:o}", "ratio", number_or_null(ratio->value), "low", number_or_null(ratio->low),
		"high", number_or_null(ratio->high));
}

static void write(FILE *out, json_t *object)
{
	json_value_write(out, object, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
	fputc('\n', out);
}

void foresee_json(FILE *out, const struct foreseen *foreseen, const struct findings *findings)
{
	json_t *methods = json_object(), *changes = json_array();
	for (size_t i = 0; i < FORESEE_METHODS; i++)
		json_object_set_new(methods, foreseen->methods[i].name, ratio_of(&foreseen->methods[i].ratio));
	for (size_t i = 0; i < foreseen->finding_count; i++) {
		json_t *change = ratio_of(&foreseen->findings[i].ratio);
		json_object_set_new(change, "rule", string(finding_rule_row(findings->at[i].rule)->name));
		json_object_set_new(change, "text", string(findings->at[i].text));
		json_array_append_new(changes, change);
	}
	write(out, json_pack("{s:o, s:o, s:o, s:o, s:o}", "check", check_of(&foreseen->check), "one_thread",
			   ratio_of(&foreseen->one_thread), "no_shared_data", ratio_of(&foreseen->all_own), "methods",
			   methods, "without_findings", changes));
}

void foresee_rows_json(FILE *out, const struct foresee_check *check, const struct foresee_row *rows, size_t len)
{
	json_t *array = json_array();
	for (size_t i = 0; i < len; i++) {
		json_t *row = ratio_of(&rows[i].ratio);
		json_object_set_new(row, "threads", json_integer((json_int_t)rows[i].threads));
		json_object_set_new(row, "method", string(rows[i].method));
		json_object_set_new(row, "commits_per_s", number_or_null(rows[i].commits_per_s));
		json_object_set_new(
			row, "failed_share", rows[i].commits_per_s > 0 ? json_real(rows[i].failed) : json_null());
		json_array_append_new(array, row);
	}
	write(out, json_pack("{s:o, s:o}", "check", check_of(check), "rows", array));
}

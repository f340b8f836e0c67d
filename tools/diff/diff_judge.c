/* SPDX-License-Identifier: MIT
 * A change is told if it is significant and exceeds the threshold. Keys are many tests of one question, "does any place
 * differ?", so their p-values are corrected: each key takes a part of alpha in proportion to what is lost there.
 * Programs have some places that lose most and dozens that lose next to nothing, and the latter shall not blind the
 * test of the former. NOTES.txt, "Many runs", tells why this is valid. */
#include "diff.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "memory.h"

static bool is_nothing(const double *values, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (values[i] > 0)
			return false;
	}
	return true;
}

void diff_row_fill(const struct diff *diff, struct diff_row *row)
{
	const size_t old = diff->sides[DIFF_OLD].len, new = diff->sides[DIFF_NEW].len;
	row->median[DIFF_OLD] = statistics_median(row->values[DIFF_OLD], old);
	row->median[DIFF_NEW] = statistics_median(row->values[DIFF_NEW], new);
	row->is_new = is_nothing(row->values[DIFF_OLD], old);
	row->is_gone = is_nothing(row->values[DIFF_NEW], new);
	row->u = statistics_u(row->values[DIFF_NEW], new, row->values[DIFF_OLD], old);
	row->p = row->u.p;
}

double diff_more(const struct diff_row *row)
{
	return row->median[DIFF_NEW].value - row->median[DIFF_OLD].value;
}

double diff_change(const struct diff_row *row)
{
	double old = row->median[DIFF_OLD].value, more = diff_more(row);
	return old > 0 ? more / old : more > 0 ? INFINITY : 0;
}

/* A change must exceed the threshold's share of the old value; the change of a key also a tenth of that share of the
 * whole, since a key in which next to nothing is lost easily doubles. A key that was 0 before must exceed all of the
 * share of the whole, since any change exceeds a share of 0. */
static bool is_beyond(const struct diff *diff, const struct diff_row *row)
{
	const bool is_key = row->key[DIFF_OLD] != NULL || row->key[DIFF_NEW] != NULL;
	const double old = row->median[DIFF_OLD].value, whole = diff->whole.median[DIFF_OLD].value;
	double least = !(old > 0) ? whole : is_key ? fmax(old, whole / 10) : old;
	return fabs(diff_more(row)) > diff->options.threshold * least;
}

/* Whether the new side is the worse one, if they differ: it loses more, or commits less, or is slower. */
static bool is_harm(const struct diff_row *row)
{
	bool is_rate = row->metric == DIFF_THROUGHPUT || row->metric == DIFF_SPEED;
	return is_rate ? diff_more(row) < 0 : diff_more(row) > 0;
}

/* Samples can differ while their medians are equal: then the change does not exceed the threshold. */
static enum diff_verdict verdict_of(const struct diff *diff, const struct diff_row *row)
{
	if (!diff->is_decided || row->p > diff->options.alpha)
		return DIFF_UNCLEAR;
	return !is_beyond(diff, row) ? DIFF_LITTLE : is_harm(row) ? DIFF_WORSE : DIFF_BETTER;
}

static double mean_of_all_runs(const struct diff *diff, const struct diff_row *row)
{
	double sum = 0;
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < diff->sides[side].len; i++)
			sum += row->values[side][i];
	return sum / (double)(diff->sides[DIFF_OLD].len + diff->sides[DIFF_NEW].len);
}

/* Means of all runs do not tell which run is on which side. So the choice of weights does not favour any result of the
 * tests (NOTES.txt, "Many runs"). No weight is 0, since each key has a value above 0 in some run; but the quotient may
 * be too small for a number. */
static void weigh(const struct diff *diff, struct diff_row *rows, size_t len)
{
	double sum = 0;
	for (size_t i = 0; i < len; i++) {
		rows[i].weight = mean_of_all_runs(diff, &rows[i]);
		sum += rows[i].weight;
	}
	for (size_t i = 0; i < len; i++)
		rows[i].weight = fmax(rows[i].weight / sum, DBL_MIN);
}

static void correct(struct diff_row *rows, size_t len)
{
	double *p = memory_zeroed(len, sizeof *p), *adjusted = memory_zeroed(len, sizeof *adjusted);
	double *weights = memory_zeroed(len, sizeof *weights);
	for (size_t i = 0; i < len; i++) {
		p[i] = rows[i].u.p;
		weights[i] = rows[i].weight;
	}
	statistics_holm(p, weights, adjusted, len);
	for (size_t i = 0; i < len; i++)
		rows[i].p = adjusted[i];
	free(p);
	free(weights);
	free(adjusted);
}

/* Counts the keys that cannot be significant alone, however much the sides differ. */
static void count_too_small(struct diff *diff)
{
	diff->min_weight = statistics_min_p(diff->sides[DIFF_OLD].len, diff->sides[DIFF_NEW].len) / diff->options.alpha;
	for (size_t i = 0; i < diff->len; i++)
		diff->too_small += diff->rows[i].weight < diff->min_weight;
}

static bool can_decide(const struct diff *diff)
{
	size_t old = diff->sides[DIFF_OLD].len, new = diff->sides[DIFF_NEW].len;
	return old >= DIFF_MIN_RUNS && new >= DIFF_MIN_RUNS &&statistics_min_p(old, new) <= diff->options.alpha;
}

static void judge_all(struct diff *diff, struct diff_row *rows, size_t len)
{
	for (size_t i = 0; i < len; i++)
		rows[i].verdict = verdict_of(diff, &rows[i]);
}

static size_t count_worse(const struct diff_row *rows, size_t len)
{
	size_t worse = 0;
	for (size_t i = 0; i < len; i++)
		worse += rows[i].verdict == DIFF_WORSE;
	return worse;
}

/* ---- regions ---- */

/* Weights are shares of time, of which even a region in no time has a little: so no weight is 0. */
static void weigh_regions(struct diff *diff)
{
	double sum = 0;
	for (size_t i = 0; i < diff->regions_len; i++) {
		struct diff_region *region = diff->regions[i];
		region->mean_ns = fmax(mean_of_all_runs(diff, &region->time), 1);
		sum += region->comparable == DIFF_COMPARABLE ? region->mean_ns : 0;
	}
	for (size_t i = 0; i < diff->regions_len; i++) {
		struct diff_region *region = diff->regions[i];
		bool is_comparable = region->comparable == DIFF_COMPARABLE;
		region->judged.weight = is_comparable ? region->mean_ns / sum : 0;
	}
}

/* Which tags are comparable does not depend on which run is on which side, and neither do their weights. */
static void judge_regions(struct diff *diff)
{
	struct diff_row *rows = memory_zeroed(diff->regions_len, sizeof *rows);
	size_t len = 0;
	weigh_regions(diff);
	for (size_t i = 0; i < diff->regions_len; i++)
		if (diff->regions[i]->comparable == DIFF_COMPARABLE)
			rows[len++] = diff->regions[i]->judged;
	correct(rows, len);
	judge_all(diff, rows, len);
	diff->worse += count_worse(rows, len);
	for (size_t i = diff->regions_len; i-- > 0;)
		if (diff->regions[i]->comparable == DIFF_COMPARABLE)
			diff->regions[i]->judged = rows[--len];
	free(rows);
}

#ifdef STMLOG_CHECKS
static bool have_values(const struct diff *diff, const struct diff_row *rows, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!(mean_of_all_runs(diff, &rows[i]) > 0))
			return false;
	return true;
}
#endif

/* Pairs have no verdict unless the whole is worse. So they cannot raise an alarm where the whole raises none, and their
 * number is no part of the count of regressions; nor is the throughput, unless it is the metric. */
void diff_judge(struct diff *diff)
{
	REQUIRES(have_values(diff, diff->rows, diff->len) && have_values(diff, diff->pairs, diff->pairs_len));
	diff->is_decided = can_decide(diff);
	weigh(diff, diff->rows, diff->len);
	weigh(diff, diff->pairs, diff->pairs_len);
	correct(diff->rows, diff->len);
	correct(diff->pairs, diff->pairs_len);
	count_too_small(diff);
	judge_all(diff, &diff->whole, 1);
	if (diff->has_throughput)
		judge_all(diff, &diff->throughput, 1);
	judge_all(diff, diff->rows, diff->len);
	if (diff->whole.verdict == DIFF_WORSE)
		judge_all(diff, diff->pairs, diff->pairs_len);
	diff->worse = count_worse(&diff->whole, 1) + count_worse(diff->rows, diff->len);
	judge_regions(diff);
}

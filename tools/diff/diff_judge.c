/* SPDX-License-Identifier: MIT
 * A change is told if it is significant and exceeds the threshold. Keys are many tests of one question, "does any place
 * differ?", so their p are corrected: each key takes a part of alpha in proportion to what is lost there. Programs have
 * some places that lose most and dozens that lose next to nothing, and the latter shall not blind the test of the
 * former. NOTES.txt, "Many runs", tells why this is valid. */
#include "diff_judge.h"

#include <math.h>
#include <stdlib.h>

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

/* Whether the change exceeds the threshold. A key that was 0 before is compared with the whole of the old side, since
 * any change exceeds a share of 0. */
static bool is_beyond(const struct diff *diff, const struct diff_row *row)
{
	double old = row->median[DIFF_OLD].value;
	if (!(old > 0))
		old = diff->whole.median[DIFF_OLD].value;
	return fabs(diff_more(row)) > diff->options.threshold * old;
}

/* Samples can differ while their medians are equal: then the change does not exceed the threshold. */
static void judge(struct diff *diff, struct diff_row *row)
{
	if (!diff->is_decided || row->p > diff->options.alpha)
		return;
	row->verdict = !is_beyond(diff, row) ? DIFF_LITTLE : diff_more(row) > 0 ? DIFF_WORSE : DIFF_BETTER;
	diff->worse += row->verdict == DIFF_WORSE;
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
 * tests (NOTES.txt, "Many runs"). No weight is 0, since each key has a value that is not. */
static void weigh(struct diff *diff)
{
	double sum = 0;
	for (size_t i = 0; i < diff->len; i++) {
		diff->rows[i].weight = mean_of_all_runs(diff, &diff->rows[i]);
		sum += diff->rows[i].weight;
	}
	diff->least_weight =
		statistics_least_p(diff->sides[DIFF_OLD].len, diff->sides[DIFF_NEW].len) / diff->options.alpha;
	for (size_t i = 0; i < diff->len; i++) {
		diff->rows[i].weight /= sum;
		diff->too_small += diff->rows[i].weight < diff->least_weight;
	}
}

static void correct(struct diff *diff)
{
	double *p = memory_zeroed(diff->len, sizeof *p), *adjusted = memory_zeroed(diff->len, sizeof *adjusted);
	double *weights = memory_zeroed(diff->len, sizeof *weights);
	for (size_t i = 0; i < diff->len; i++) {
		p[i] = diff->rows[i].u.p;
		weights[i] = diff->rows[i].weight;
	}
	statistics_holm(p, weights, adjusted, diff->len);
	for (size_t i = 0; i < diff->len; i++)
		diff->rows[i].p = adjusted[i];
	free(p);
	free(weights);
	free(adjusted);
}

static bool can_decide(const struct diff *diff)
{
	size_t old = diff->sides[DIFF_OLD].len, new = diff->sides[DIFF_NEW].len;
	return old >= DIFF_LEAST_RUNS && new >= DIFF_LEAST_RUNS &&statistics_least_p(old, new) <= diff->options.alpha;
}

void diff_judge(struct diff *diff)
{
	diff->is_decided = can_decide(diff);
	weigh(diff);
	correct(diff);
	judge(diff, &diff->whole);
	for (size_t i = 0; i < diff->len; i++)
		judge(diff, &diff->rows[i]);
}

/* SPDX-License-Identifier: MIT
 * Adds up losses, computes estimates with intervals from the sums, and makes their texts. */
#include "estimate.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <stmlog/read.h>

#include "saturate.h"

/* ---- sums of losses ---- */

static uint64_t reason_rows(uint32_t reason)
{
	enum stmlog_account_row row = cause_account_row(reason);
	return row == STMLOG_ACCOUNT_ROWS ? TALLY_LOSSES : TALLY_ROW(row);
}

struct tally_sum tally_sum_of(const struct stmlog_entry_record *entry)
{
	return (struct tally_sum){
		.count = entry->count,
		.lost_ns = entry->lost_ns,
		.longest_ns = entry->longest_ns,
		.wasted = entry->wasted,
		.wasted_ns = entry->wasted_ns,
		.false_conflicts = entry->false_conflicts,
		.surplus_ns = entry->estimated_ns - (double)entry->lost_ns,
		.variance_ns2 = entry->variance_ns2,
		.descheduled_ns = entry->descheduled_ns,
		.rows = reason_rows(entry->reason),
	};
}

struct tally_sum tally_sum_of_evicted(const struct recording *recording)
{
	return (struct tally_sum){
		.count = recording->evicted_count,
		.lost_ns = recording->evicted_lost_ns,
		.surplus_ns = recording->evicted_estimated_ns - (double)recording->evicted_lost_ns,
		.variance_ns2 = recording->evicted_variance_ns2,
		.rows = TALLY_LOSSES,
	};
}

struct tally_sum tally_sum_of_total(const struct stmlog_total_record *total)
{
	return (struct tally_sum){
		.count = total->count,
		.lost_ns = total->lost_ns,
		.surplus_ns = total->estimated_ns - (double)total->lost_ns,
		.variance_ns2 = total->variance_ns2,
		.rows = reason_rows(total->reason),
	};
}

void tally_sum_add(struct tally_sum *sum, const struct tally_sum *more)
{
	sum->count += more->count;
	sum->lost_ns += more->lost_ns;
	sum->wasted += more->wasted;
	sum->wasted_ns += more->wasted_ns;
	sum->false_conflicts += more->false_conflicts;
	sum->surplus_ns += more->surplus_ns;
	sum->variance_ns2 = stmlog_joint_variance(sum->variance_ns2, more->variance_ns2);
	sum->descheduled_ns += more->descheduled_ns;
	sum->rows |= more->rows;
	if (more->longest_ns > sum->longest_ns)
		sum->longest_ns = more->longest_ns;
}

/* ---- estimates ---- */

uint64_t estimate_whole(double ns)
{
	if (!(ns > 0))
		return 0;
	return ns < 1.8e19 ? (uint64_t)(ns + 0.5) : UINT64_MAX;
}

struct estimate estimate_exact(uint64_t ns)
{
	return (struct estimate){ns, ns, ns, ns, true};
}

/* Moves the estimate and its interval into the bounds. */
static struct estimate estimate_bounded(uint64_t ns, double low_ns, double high_ns, uint64_t min_ns, uint64_t max_ns)
{
	max_ns = larger_ns(min_ns, max_ns);
	uint64_t at = smaller_ns(larger_ns(ns, min_ns), max_ns);
	return (struct estimate){at, smaller_ns(larger_ns(estimate_whole(low_ns), min_ns), at),
		larger_ns(smaller_ns(estimate_whole(high_ns), max_ns), at), min_ns, false};
}

/* Half the width of the interval, by chance and doubt, which are independent. DBL_MAX if one of them is not known. */
static double half_width_of(struct estimate_error error)
{
	double doubt = error.doubt_ns / STMLOG_STANDARD_ERRORS, variance = error.variance_ns2 + doubt * doubt;
	return variance >= 0 && variance <= DBL_MAX ? stmlog_half_width_ns(variance) : DBL_MAX;
}

/* Most sums consist of many small losses and a few large ones. A sample that has missed a large loss is too low by more
 * than a sample that has found one is too high. So the interval is not symmetric: its upper end is the estimate times a
 * factor, and its lower end the estimate divided by it. If the half width is HALF_MAX times as large as the estimate,
 * the lower end is 0. */
#define HALF_MAX 3.0

struct estimate estimate_make(uint64_t ns, struct estimate_error error, uint64_t min_ns, uint64_t max_ns)
{
	double at = (double)ns, half_ns = half_width_of(error), low_ns = 0, high_ns;
	if (half_ns < HALF_MAX * at) {
		low_ns = at / exp(half_ns / at);
		high_ns = at * exp(half_ns / at);
	} else {
		high_ns = fmax(at + half_ns, at * exp(HALF_MAX));
	}
	return estimate_bounded(ns, low_ns, high_ns, min_ns, max_ns);
}

struct estimate estimate_rest(uint64_t ns, struct estimate_error error, uint64_t min_ns, uint64_t max_ns)
{
	double half_ns = half_width_of(error);
	return estimate_bounded(ns, (double)ns - half_ns, (double)ns + half_ns, min_ns, max_ns);
}

struct estimate estimate_part(const struct estimate *estimate, double part, uint64_t measured_ns)
{
	return estimate_bounded(estimate_whole((double)estimate->ns * part), (double)estimate->low_ns * part,
		(double)estimate->high_ns * part, measured_ns, estimate->high_ns);
}

/* ---- estimates of sums ---- */

/* The sum of the upper ends of the rows that the sum is a part of. No limit if the rows are not known. */
static uint64_t rows_max_ns(const struct recording *recording, uint64_t rows)
{
	uint64_t max = 0;
	for (unsigned row = 0; row < STMLOG_ACCOUNT_ROWS; row++) {
		if (rows & TALLY_ROW(row))
			max += recording->row_max_ns[row];
	}
	return max != 0 ? max : UINT64_MAX;
}

struct estimate estimate_of(const struct recording *recording, const struct tally_sum *sum)
{
	if (recording == NULL || !recording_is_sampled(recording))
		return estimate_exact(sum->lost_ns);
	double ns = (double)sum->lost_ns + sum->surplus_ns;
	struct estimate_error error = {sum->variance_ns2, 0};
	return estimate_make(estimate_whole(ns), error, sum->lost_ns, rows_max_ns(recording, sum->rows));
}

struct estimate estimate_of_explained(const struct recording *recording)
{
	struct recording_sum total = recording_total(recording);
	struct tally_sum sum = {
		.lost_ns = total.lost_ns,
		.surplus_ns = total.estimated_ns - (double)total.lost_ns,
		.variance_ns2 = total.variance_ns2,
		.rows = TALLY_LOSSES,
	};
	return estimate_of(recording, &sum);
}

static double square_of(uint64_t high_ns, uint64_t low_ns)
{
	double ns = (double)saturated_difference(high_ns, low_ns);
	return ns * ns;
}

/* The errors of the three rows are independent of each other. */
struct estimate estimate_of_total(const struct recording *recording)
{
	double below = 0, above = 0;
	uint64_t ns = 0, measured_ns = 0, max_ns = recording->rows_ns;
	if (recording->rows_ns == 0)
		return estimate_of_explained(recording);
	for (unsigned row = 0; row < STMLOG_ACCOUNT_ROWS; row++) {
		if ((TALLY_LOSSES & TALLY_ROW(row)) == 0) {
			max_ns = saturated_difference(max_ns, recording->row_min_ns[row]);
			continue;
		}
		ns += recording->row_ns[row];
		measured_ns += recording->row_measured_ns[row];
		below += square_of(recording->row_ns[row], recording->row_min_ns[row]);
		above += square_of(recording->row_max_ns[row], recording->row_ns[row]);
	}
	if (!recording_is_sampled(recording))
		return estimate_exact(ns);
	return estimate_bounded(ns, (double)ns - stmlog_root(below), (double)ns + stmlog_root(above),
		smaller_ns(measured_ns, ns), larger_ns(max_ns, ns));
}

bool estimate_is_too_few(const struct recording *recording, uint64_t count)
{
	return recording != NULL && recording_is_sampled(recording) && count < ESTIMATE_MIN_LOSSES;
}

/* ---- texts ---- */

/* Cuts the unit off `low` if `high` has the same, "11.0 ms" before "13.9 ms", or if `low` is 0. */
static void cut_unit(char *low, const char *high)
{
	char *unit = strchr(low, ' ');
	const char *same = strchr(high, ' ');
	if (unit != NULL && same != NULL && (strcmp(unit, same) == 0 || strcmp(low, "0 ns") == 0))
		*unit = '\0';
}

struct number estimate_range(const struct estimate *estimate)
{
	struct number out = {""}, low = number_time(estimate->low_ns), high = number_time(estimate->high_ns);
	if (estimate->is_exact)
		return out;
	cut_unit(low.text, high.text);
	snprintf(out.text, sizeof out.text, "%.20s - %.20s", low.text, high.text);
	return out;
}

struct number estimate_point(const struct estimate *estimate)
{
	struct number out = number_time(estimate->ns), time = out;
	if (!estimate->is_exact)
		snprintf(out.text, sizeof out.text, "~ %.20s", time.text);
	return out;
}

struct number estimate_number(const struct estimate *estimate)
{
	struct number out = estimate_point(estimate), point = out, range = estimate_range(estimate);
	if (!estimate->is_exact)
		snprintf(out.text, sizeof out.text, "%.20s (%.40s)", point.text, range.text);
	return out;
}

struct number estimate_text(const struct recording *recording, const struct tally_sum *sum)
{
	struct estimate estimate = estimate_of(recording, sum);
	struct number too_few = {"too few to say"};
	return estimate_is_too_few(recording, sum->count) ? too_few : estimate_number(&estimate);
}

struct number estimate_text_total(const struct recording *recording)
{
	struct estimate total = estimate_of_total(recording);
	return estimate_number(&total);
}

struct number estimate_text_evicted(const struct recording *recording)
{
	struct tally_sum sum = tally_sum_of_evicted(recording);
	struct number out, time = number_time(estimate_of(recording, &sum).high_ns);
	if (!estimate_is_too_few(recording, sum.count))
		return estimate_text(recording, &sum);
	snprintf(out.text, sizeof out.text, "at most ~ %.20s", time.text);
	return out;
}

struct number estimate_share(const struct recording *recording, const struct tally_sum *sum)
{
	struct number none = {"-"};
	if (estimate_is_too_few(recording, sum->count))
		return none;
	uint64_t all_ns = estimate_of_total(recording).ns;
	return number_share(smaller_ns(estimate_of(recording, sum).ns, all_ns), all_ns);
}

/* ---- the observer effect ---- */

/* An abort is counted in the phases of two threads, so the variance is that of half as many cases. */
#define SHARED 2

static double observer_ratio(uint64_t part, uint64_t whole)
{
	return (double)part / (double)whole;
}

/* All phases of one kind, and sums over them. */
struct phases {
	uint64_t count, ns, transactions, aborts, aborts_square, aborts_us, us_square;
};

#define PHASES_OF(info, kind)                                                                                          \
	((struct phases){(info)->kind##_phases, (info)->kind##_ns, (info)->kind##_transactions, (info)->kind##_aborts, \
		(info)->kind##_aborts_square, (info)->kind##_aborts_us, (info)->kind##_us_square})

static bool phases_are_enough(const struct phases *phases)
{
	return phases->count >= OBSERVER_MIN_PHASES && phases->aborts >= OBSERVER_MIN_ABORTS && phases->ns != 0;
}

/* The variance of the rate of aborts, relative to the square of the rate: a ratio estimate over the phases (Cochran
 * 1977). */
static double relative_variance(const struct phases *phases)
{
	double count = (double)phases->count, aborts = (double)phases->aborts;
	double rate = aborts / ((double)phases->ns / 1000);
	double squares = (double)phases->aborts_square - 2 * rate * (double)phases->aborts_us +
			 rate * rate * (double)phases->us_square;
	return squares > 0 ? SHARED * squares * count / (count - 1) / (aborts * aborts) : 0;
}

struct observer observer_of(const struct recording_info *info)
{
	struct observer observer = {.is_known = false};
	struct phases on = PHASES_OF(info, on), off = PHASES_OF(info, off);
	if (!phases_are_enough(&on) || !phases_are_enough(&off))
		return observer;
	double reach = 1 + stmlog_half_width_ns(relative_variance(&on) + relative_variance(&off));
	observer.effect = observer_ratio(on.aborts, on.ns) / observer_ratio(off.aborts, off.ns);
	observer.low = observer.effect / reach;
	observer.high = observer.effect * reach;
	observer.is_known = reach <= OBSERVER_WIDEST;
	observer.is_in_bursts = !observer.is_known;
	if (on.transactions != 0 && off.transactions != 0)
		observer.per_transaction =
			observer_ratio(on.aborts, on.transactions) / observer_ratio(off.aborts, off.transactions);
	return observer;
}

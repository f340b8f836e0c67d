/* SPDX-License-Identifier: MIT
 * Estimates the rows of an account from its sums. */
#include "account_estimate.h"

#include <string.h>

/* Fewer timed transactions than these allow no estimate. */
#define MIN_TIMED 10

struct rows {
	double measured_ns[STMLOG_ACCOUNT_ROWS];
	double ns[STMLOG_ACCOUNT_ROWS];
	double whole_variance_ns2; /* of the sum of all parts (is_part()) */
};

/* Whether the row is a part of the time in transactions: the rows that are estimated one by one, other time, which is
 * the runtime's own, and blocked time. */
static bool is_part(int row)
{
	return row != STMLOG_ACCOUNT_OUTSIDE && row != STMLOG_ACCOUNT_DESCHEDULED;
}

/* ---- what was measured ---- */

static double sum_of_aborts(const uint64_t *by_contention)
{
	double sum = 0;
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
		sum += (double)by_contention[c];
	return sum;
}

static double sum_aborted(const volatile AO_t *slots)
{
	double sum = 0;
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
		sum += (double)AO_load(&slots[ABORTED_SLOT + c]);
	return sum;
}

/* Adds up the slots that belong to the same row. Not for the rows OUTSIDE and DESCHEDULED. */
static void by_row(const volatile AO_t *slots, double *rows)
{
	rows[STMLOG_ACCOUNT_COMMITTED] = (double)AO_load(&slots[COMMITTED_SLOT]);
	rows[STMLOG_ACCOUNT_ABORTED] = sum_aborted(slots);
	rows[STMLOG_ACCOUNT_PAUSED] = (double)AO_load(&slots[PAUSED_STATE]);
	rows[STMLOG_ACCOUNT_WAITING] =
		(double)AO_load(&slots[WAITING_INEVITABLE_STATE]) + (double)AO_load(&slots[WAITING_NONE_STATE]);
	rows[STMLOG_ACCOUNT_OTHER] = (double)AO_load(&slots[OTHER_STATE]);
	rows[STMLOG_ACCOUNT_BLOCKED] = (double)AO_load(&slots[BLOCKED_STATE]);
}

/* The same for the figures of an account. */
static void measured_by_row(const struct stmlog_account *figures, double *rows)
{
	rows[STMLOG_ACCOUNT_COMMITTED] = (double)figures->committed_ns;
	rows[STMLOG_ACCOUNT_ABORTED] = sum_of_aborts(figures->aborted_ns);
	rows[STMLOG_ACCOUNT_PAUSED] = (double)figures->paused_ns;
	rows[STMLOG_ACCOUNT_WAITING] = (double)figures->waiting_inevitable_ns + (double)figures->waiting_none_ns;
	rows[STMLOG_ACCOUNT_OTHER] = (double)figures->other_ns;
	rows[STMLOG_ACCOUNT_BLOCKED] = (double)figures->blocked_ns;
}

static void add_doubt(struct account_spread *spread, int row, uint64_t ns)
{
	spread->doubt_ns[row] = saturated_sum(spread->doubt_ns[row], ns);
}

/* ---- chance ---- */

/* Returns the mean time of a failed attempt: the mean of those with a weight or the mean of the others, whichever is
 * larger. If no failed attempt was measured, the mean time of a commit. */
static double mean_aborted_ns(const struct stmlog_account *figures, const struct sampled *sampled)
{
	double weighted_ns = sum_aborted(sampled->weighted_ns), weighted = (double)AO_load(&sampled->weighted_aborts);
	double others_ns = sum_of_aborts(figures->aborted_ns) - weighted_ns,
	       others = sum_of_aborts(figures->aborts) - weighted;
	double mean_ns = weighted > 0 ? weighted_ns / weighted : 0, other_ns = others > 0 ? others_ns / others : 0;
	if (weighted + others > 0)
		return mean_ns > other_ns ? mean_ns : other_ns;
	return figures->commits > 0 ? (double)figures->committed_ns / (double)figures->commits : 0;
}

/* Adds doubt where the runtime does not report the time of unmeasured failed attempts. If they are more than those for
 * which the measured ones stand, the further ones may have taken as long as the mean. */
static void doubt_missing(
	const struct stmlog_account *figures, const struct sampled *sampled, struct account_spread *spread)
{
	double missing = (double)AO_load(&sampled->unmeasured_aborts) - (double)AO_load(&sampled->surplus_aborts);
	double chance_ns = stmlog_half_width_ns(spread->variance_ns2[STMLOG_ACCOUNT_ABORTED]);
	uint64_t more_ns = saturated_whole(missing * mean_aborted_ns(figures, sampled) - chance_ns);
	add_doubt(spread, STMLOG_ACCOUNT_ABORTED, more_ns);
	add_doubt(spread, STMLOG_ACCOUNT_OUTSIDE, more_ns);
}

/* The time that the runtime reports for unmeasured failed attempts may be wrong by this share (bench-truth). */
#define KNOWN 0.25

/* Uses the time that the runtime reports, unless the sample agrees with it and is more exact. A sample that shows less
 * has missed the few transactions with most of the loss. If a sample shows more, and chance explains no more than half
 * of it, the doubt reaches as far as the sample. */
static void estimate_by_known(double known_ns, double surplus_ns, struct rows *rows, struct account_spread *spread)
{
	double *variance_ns2 = &spread->variance_ns2[STMLOG_ACCOUNT_ABORTED];
	double chance_ns = stmlog_half_width_ns(*variance_ns2), doubt_ns = KNOWN * known_ns;
	double off_ns = surplus_ns - known_ns;
	if (chance_ns <= doubt_ns && off_ns <= doubt_ns + chance_ns && -off_ns <= doubt_ns + chance_ns)
		return;
	if (chance_ns < surplus_ns / 2 && off_ns > doubt_ns)
		doubt_ns = off_ns;
	rows->ns[STMLOG_ACCOUNT_ABORTED] = rows->measured_ns[STMLOG_ACCOUNT_ABORTED] + known_ns;
	*variance_ns2 = 0;
	rows->whole_variance_ns2 = 0;
	for (int row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
		rows->whole_variance_ns2 += spread->variance_ns2[row];
	add_doubt(spread, STMLOG_ACCOUNT_ABORTED, saturated_whole(doubt_ns));
	add_doubt(spread, STMLOG_ACCOUNT_OUTSIDE, saturated_whole(doubt_ns));
}

static void estimate_unmeasured_aborts(const struct stmlog_account *figures, const struct sampled *sampled,
	double surplus_ns, struct rows *rows, struct account_spread *spread)
{
	double known_ns = (double)AO_load(&sampled->unmeasured_aborted_ns);
	if (known_ns > 0)
		estimate_by_known(known_ns, surplus_ns, rows, spread);
	else
		doubt_missing(figures, sampled, spread);
}

/* Estimates from the transactions that were measured with weights. */
static void estimate_by_weights(const struct stmlog_account *figures, const struct sampled *sampled, struct rows *rows,
	struct account_spread *spread)
{
	double surplus_ns[STMLOG_ACCOUNT_ROWS];
	by_row(sampled->surplus_ns, surplus_ns);
	for (int row = 0; row < STMLOG_ACCOUNT_ROWS; row++) {
		if (!is_part(row))
			continue;
		rows->ns[row] = rows->measured_ns[row] + surplus_ns[row];
		spread->variance_ns2[row] = account_double(&sampled->variance_ns2[row]);
	}
	rows->whole_variance_ns2 = account_double(&sampled->variance_ns2[STMLOG_ACCOUNT_OUTSIDE]);
	estimate_unmeasured_aborts(figures, sampled, surplus_ns[STMLOG_ACCOUNT_ABORTED], rows, spread);
}

/* The divisor of the sum of w x of a row: the sum of w y, where y is 1 for each commit, or the number of failed
 * attempts. */
struct divisor {
	double sum;    /* of w y */
	double cross;  /* of w (w - 1) x y */
	double square; /* of w (w - 1) y^2 */
};

/* Returns the variance of (sum of w x) / (sum of w y) times the sum of w y. One more large loss of the row, or a whole
 * transaction if the row has no loss, is added to the variance: so a row in which nothing was found is not certainly
 * empty. The factor at the end raises the variance of few transactions, which is less well known. */
static double variance_of(const struct observations *all, const struct observed_row *row, const struct divisor *by)
{
	double sum = account_double(&row->sum), square = account_double(&row->square);
	double count = (double)AO_load(&all->count);
	if (!(count > 0))
		return 0;
	double ratio = by->sum > 0 ? sum / by->sum : 0;
	double variance = square - 2 * ratio * by->cross + ratio * ratio * by->square;
	const struct observed_row *typical = sum > 0 ? row : &all->rows[STMLOG_ACCOUNT_OUTSIDE];
	double typical_sum = account_double(&typical->sum);
	double one = typical_sum > 0 ? account_double(&typical->square) / typical_sum : 0;
	return ((variance > 0 ? variance : 0) + one * one) * (count + 8) / count;
}

static struct divisor commits_of(const struct observations *all, enum stmlog_account_row row)
{
	return (struct divisor){
		account_double(&all->weight), account_double(&all->rows[row].cross), account_double(&all->square)};
}

/* Adds an estimate to a row, and sets its variance. `whole`: the sum of y over all transactions. */
static void estimate_row(const struct observations *all, enum stmlog_account_row number, struct divisor by,
	double whole, struct rows *rows, struct account_spread *spread)
{
	const struct observed_row *row = &all->rows[number];
	/* Without a commit, each observation stands for as many as its weight says. */
	double scale = by.sum > 0 ? whole / by.sum : 1;
	rows->ns[number] += scale * account_double(&row->sum);
	spread->variance_ns2[number] = scale * scale * variance_of(all, row, &by);
}

static struct divisor failed_of(const struct timed *timed)
{
	return (struct divisor){account_double(&timed->failed), account_double(&timed->failed_cross),
		account_double(&timed->failed_square)};
}

static double less(double from, double what)
{
	return from > what ? from - what : 0;
}

/* Estimates the time aborted by failed attempts. If too few were timed or measured, estimates it by commits; then the
 * time that all failed attempts may have taken, each about as long as a commit, is in doubt. */
static void estimate_aborted(
	const struct sampled *sampled, double rest, struct rows *rows, struct account_spread *spread)
{
	const struct timed *timed = &sampled->timed;
	const struct observations *all = &timed->all;
	double aborts = (double)AO_load(&sampled->weighted_aborts) + (double)AO_load(&sampled->unmeasured_aborts);
	double weight = account_double(&all->weight);
	aborts = less(aborts, account_double(&sampled->apart.failed));
	if (AO_load(&timed->failures) >= MIN_TIMED) {
		estimate_row(all, STMLOG_ACCOUNT_ABORTED, failed_of(timed), aborts, rows, spread);
		return;
	}
	estimate_row(all, STMLOG_ACCOUNT_ABORTED, commits_of(all, STMLOG_ACCOUNT_ABORTED), rest, rows, spread);
	if (weight > 0)
		spread->doubt_ns[STMLOG_ACCOUNT_ABORTED] =
			saturated_whole(aborts * account_double(&all->rows[STMLOG_ACCOUNT_COMMITTED].sum) / weight);
}

/* Estimates a row that every observation has: the time aborted by failed attempts, the others by commits. */
static void estimate_observed(const struct sampled *sampled, enum stmlog_account_row row, double rest,
	struct rows *rows, struct account_spread *spread)
{
	const struct observations *all = &sampled->timed.all;
	if (row == STMLOG_ACCOUNT_ABORTED)
		estimate_aborted(sampled, rest, rows, spread);
	else
		estimate_row(all, row, commits_of(all, row), rest, rows, spread);
}

/* Returns the number of commits for which the sampled transactions stand. */
static double commits_left(const struct sampled *sampled)
{
	double rest = (double)AO_load(&sampled->weighted_commits) + (double)AO_load(&sampled->unmeasured_commits);
	return less(rest, account_double(&sampled->apart.commits));
}

/* Neither timed transactions nor windows have blocked time: it is estimated by weights. Sets the variance of all. */
static void estimate_blocked(const struct observations *all, const struct sampled *sampled, double rest,
	struct rows *rows, struct account_spread *spread)
{
	double weight = account_double(&all->weight), scale = weight > 0 ? rest / weight : 1;
	struct divisor commits = commits_of(all, STMLOG_ACCOUNT_OUTSIDE);
	rows->ns[STMLOG_ACCOUNT_BLOCKED] =
		rows->measured_ns[STMLOG_ACCOUNT_BLOCKED] + (double)AO_load(&sampled->surplus_ns[BLOCKED_STATE]);
	spread->variance_ns2[STMLOG_ACCOUNT_BLOCKED] = account_double(&sampled->variance_ns2[STMLOG_ACCOUNT_BLOCKED]);
	rows->whole_variance_ns2 = scale * scale * variance_of(all, &all->rows[STMLOG_ACCOUNT_OUTSIDE], &commits) +
				   spread->variance_ns2[STMLOG_ACCOUNT_BLOCKED];
}

static void estimate_by_time(const struct sampled *sampled, struct rows *rows, struct account_spread *spread)
{
	const struct observations *all = &sampled->timed.all;
	double weighted_ns[STMLOG_ACCOUNT_ROWS], rest = commits_left(sampled);
	by_row(sampled->weighted_ns, weighted_ns);
	for (enum stmlog_account_row row = 0; row < STMLOG_ACCOUNT_OTHER; row++) {
		rows->ns[row] = rows->measured_ns[row] - weighted_ns[row] + account_double(&sampled->apart.sum[row]);
		estimate_observed(sampled, row, rest, rows, spread);
		spread->variance_ns2[row] += account_double(&sampled->apart.square[row]);
	}
	rows->ns[STMLOG_ACCOUNT_OTHER] = rows->measured_ns[STMLOG_ACCOUNT_OTHER];
	estimate_blocked(all, sampled, rest, rows, spread);
	rows->whole_variance_ns2 += account_double(&sampled->apart.square[STMLOG_ACCOUNT_OUTSIDE]);
}

/* From windows in which all transactions were measured. */
static void estimate_by_windows(const struct sampled *sampled, struct rows *rows, struct account_spread *spread)
{
	const struct observations *all = &sampled->timed.all;
	double weighted_ns[STMLOG_ACCOUNT_ROWS], rest = commits_left(sampled);
	by_row(sampled->weighted_ns, weighted_ns);
	for (enum stmlog_account_row row = 0; row <= STMLOG_ACCOUNT_OTHER; row++) {
		rows->ns[row] = rows->measured_ns[row] - weighted_ns[row];
		estimate_observed(sampled, row, rest, rows, spread);
	}
	estimate_blocked(all, sampled, rest, rows, spread);
}

/* ---- doubt ---- */

/* How far the estimates of timed transactions may be off besides chance, as a share of the row, and for each commit:
 * nine tenths of the errors that `make bench-truth` finds (bench/RESULTS.txt, section 4). The processor may read a time
 * stamp before it has ended the memory accesses in front of it, which shifts work in or out of a transaction. A runtime
 * infers pauses and waits, those of measured transactions as well, from how long its calls took, and the border between
 * work and a wait is uncertain. */
static const struct method_error {
	double share, commit_ns;
} method_errors[STMLOG_ACCOUNT_ROWS] = {[STMLOG_ACCOUNT_COMMITTED] = {0.02, 30},
	[STMLOG_ACCOUNT_ABORTED] = {0.1, 0},
	[STMLOG_ACCOUNT_PAUSED] = {0.16, 0},
	[STMLOG_ACCOUNT_WAITING] = {0.13, 0}};

/* Interrupts and the like take some tens of microseconds each, and may fall into any row; a sample misses most of them.
 * So each row is in doubt by at least one part in FLOOR of the attached time. */
#define FLOOR 500

static void doubt(const struct stmlog_account *figures, const struct rows *rows, struct account_spread *spread)
{
	double all_ns = 0, commits = (double)figures->commits + (double)figures->unmeasured_commits;
	for (int row = 0; row < STMLOG_ACCOUNT_OTHER; row++) {
		const struct method_error *error = &method_errors[row];
		double error_ns = error->share * rows->ns[row] + error->commit_ns * commits;
		add_doubt(spread, row, saturated_whole(error_ns) + figures->attached_ns / FLOOR);
		all_ns += error_ns;
	}
	add_doubt(spread, STMLOG_ACCOUNT_DESCHEDULED, figures->attached_ns / FLOOR);
	add_doubt(spread, STMLOG_ACCOUNT_OUTSIDE, saturated_whole(all_ns / 2) + figures->attached_ns / FLOOR);
}

/* For so few transactions, measured or timed, that any row may have the whole time. */
static void doubt_all(double max_ns, struct account_spread *spread)
{
	for (int row = 0; row <= STMLOG_ACCOUNT_OUTSIDE; row++)
		add_doubt(spread, row, saturated_whole(max_ns));
}

/* ---- fitting ---- */

static double sum_of(const double *rows)
{
	double sum = 0;
	for (int row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
		sum += is_part(row) ? rows[row] : 0;
	return sum;
}

/* Raises each row to at least its measured time, and then cuts the estimates so that all together are no more than
 * `max_ns`. */
static void fit(struct rows *rows, struct account_spread *spread, double max_ns)
{
	for (int row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
		if (is_part(row) && rows->ns[row] < rows->measured_ns[row])
			rows->ns[row] = rows->measured_ns[row];
	double measured_ns = sum_of(rows->measured_ns), estimated_ns = sum_of(rows->ns);
	if (estimated_ns <= max_ns)
		return;
	double part = max_ns > measured_ns ? (max_ns - measured_ns) / (estimated_ns - measured_ns) : 0;
	for (int row = 0; row < STMLOG_ACCOUNT_ROWS; row++) {
		if (!is_part(row))
			continue;
		double cut_ns = (rows->ns[row] - rows->measured_ns[row]) * (1 - part);
		rows->ns[row] -= cut_ns;
		add_doubt(spread, row, saturated_whole(cut_ns));
	}
}

/* ---- the figures ---- */

static uint64_t total(const uint64_t *parts, size_t len)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < len; i++)
		sum = saturated_sum(sum, parts[i]);
	return sum;
}

/* Divides an estimate among parts of the same row. Each part gets its measured time. The rest is divided in the
 * proportions of the surplus of transactions with weights; if there is no surplus, in the proportions of the measured
 * times; if these are 0 as well, all goes to part number `otherwise`. The remainder of rounding goes to the largest
 * part. */
static void divide(double ns, const uint64_t *measured, const uint64_t *surplus, uint64_t *const *parts, size_t len,
	size_t otherwise)
{
	uint64_t measured_ns = total(measured, len), whole_ns = saturated_whole(ns);
	uint64_t rest_ns = whole_ns > measured_ns ? whole_ns - measured_ns : 0;
	const uint64_t *shares = total(surplus, len) != 0 ? surplus : measured;
	uint64_t sum = total(shares, len), left_ns = rest_ns;
	for (size_t i = 0; i < len; i++) {
		uint64_t part_ns = sum > 0 ? saturated_whole((double)rest_ns * ((double)shares[i] / (double)sum)) : 0;
		part_ns = part_ns < left_ns ? part_ns : left_ns;
		*parts[i] = measured[i] + part_ns;
		left_ns -= part_ns;
		otherwise = shares[i] > shares[otherwise] ? i : otherwise;
	}
	*parts[otherwise] += left_ns;
}

static void set(struct stmlog_account *figures, const struct sampled *sampled, const struct rows *rows)
{
	uint64_t *aborted[STMLOG_CONTENTIONS], aborted_surplus_ns[STMLOG_CONTENTIONS];
	const uint64_t waited_ns[] = {figures->waiting_inevitable_ns, figures->waiting_none_ns};
	const uint64_t waiting_surplus_ns[] = {AO_load(&sampled->surplus_ns[WAITING_INEVITABLE_STATE]),
		AO_load(&sampled->surplus_ns[WAITING_NONE_STATE])};
	uint64_t *const waiting[] = {&figures->estimated_waiting_inevitable_ns, &figures->estimated_waiting_none_ns};
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++) {
		aborted[c] = &figures->estimated_aborted_ns[c];
		aborted_surplus_ns[c] = AO_load(&sampled->surplus_ns[ABORTED_SLOT + c]);
	}
	figures->estimated_committed_ns = saturated_whole(rows->ns[STMLOG_ACCOUNT_COMMITTED]);
	figures->estimated_paused_ns = saturated_whole(rows->ns[STMLOG_ACCOUNT_PAUSED]);
	figures->estimated_other_ns = saturated_whole(rows->ns[STMLOG_ACCOUNT_OTHER]);
	figures->estimated_blocked_ns = saturated_whole(rows->ns[STMLOG_ACCOUNT_BLOCKED]);
	divide(rows->ns[STMLOG_ACCOUNT_ABORTED], figures->aborted_ns, aborted_surplus_ns, aborted, STMLOG_CONTENTIONS,
		STMLOG_DATA);
	divide(rows->ns[STMLOG_ACCOUNT_WAITING], waited_ns, waiting_surplus_ns, waiting, 2, 0);
}

static void set_measured(struct stmlog_account *figures)
{
	figures->estimated_committed_ns = figures->committed_ns;
	memcpy(figures->estimated_aborted_ns, figures->aborted_ns, sizeof figures->aborted_ns);
	figures->estimated_paused_ns = figures->paused_ns;
	figures->estimated_waiting_inevitable_ns = figures->waiting_inevitable_ns;
	figures->estimated_waiting_none_ns = figures->waiting_none_ns;
	figures->estimated_other_ns = figures->other_ns;
	figures->estimated_blocked_ns = figures->blocked_ns;
}

/* Whether all transactions were measured, with weight 1. */
static bool is_exact(const struct sampled *sampled)
{
	return (AO_load(&sampled->unmeasured_commits) | AO_load(&sampled->unmeasured_aborts) |
		       AO_load(&sampled->timed.all.count) | AO_load(&sampled->apart.count)) == 0 &&
	       account_double(&sampled->variance_ns2[STMLOG_ACCOUNT_OUTSIDE]) <= 0;
}

void estimate_rows(struct stmlog_account *figures, const struct sampled *sampled, uint64_t descheduled_doubt_ns,
	struct account_spread *spread)
{
	struct rows rows;
	bool has_windows = AO_load(&sampled->has_windows) != 0;
	uint64_t observed = AO_load(&sampled->timed.all.count) + AO_load(&sampled->apart.count);
	*spread = (struct account_spread){.timed = has_windows ? 0 : observed,
		.timed_commits = AO_load(&sampled->timed.commits),
		.windows = has_windows ? observed : 0};
	spread->doubt_ns[STMLOG_ACCOUNT_DESCHEDULED] = descheduled_doubt_ns;
	if (is_exact(sampled)) {
		set_measured(figures);
		return;
	}
	double max_ns = (double)(figures->attached_ns - figures->open_ns - figures->descheduled_ns);
	measured_by_row(figures, rows.measured_ns);
	if (spread->timed != 0)
		estimate_by_time(sampled, &rows, spread);
	else if (spread->windows != 0)
		estimate_by_windows(sampled, &rows, spread);
	else
		estimate_by_weights(figures, sampled, &rows, spread);
	fit(&rows, spread, max_ns);
	spread->variance_ns2[STMLOG_ACCOUNT_OUTSIDE] = rows.whole_variance_ns2;
	if (spread->timed != 0)
		doubt(figures, &rows, spread);
	if (AO_load(&sampled->timed.all.count) < MIN_TIMED && AO_load(&sampled->weighted_commits) < MIN_TIMED)
		doubt_all(max_ns, spread);
	set(figures, sampled, &rows);
}

/* SPDX-License-Identifier: MIT
 * The rows of an account as estimates with intervals. The library writes estimates that fit into the attached time.
 * Those of other writers may not: they are scaled here, and the intervals widened.
 */
#include "recorded_account.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

#include <stmlog/read.h>

#include "check.h"
#include "report_memory.h"
#include "saturate.h"

/* gcc -fanalyzer does not see that a function has filled the struct that it returns. */
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wanalyzer-use-of-uninitialized-value"
#endif

enum { ROWS = STMLOG_ACCOUNT_ROWS };

/* Whether a thread record has an estimate of the row. */
static bool is_estimated(size_t row)
{
	return row != STMLOG_ACCOUNT_OUTSIDE && row != STMLOG_ACCOUNT_DESCHEDULED;
}

/* How many commits, and losses of each row, were measured; and how many commits and aborts were not. */
struct counts {
	uint64_t measured[ROWS];
	uint64_t unmeasured_commits, unmeasured_aborts;
};

/* The rows of a thread, or the sums of several threads.
 * Invariant of an estimated account: min_ns <= ns <= max_ns, and all ns add up to the attached time less open. */
struct rows {
	uint64_t ns[ROWS];
	uint64_t min_ns[ROWS];
	uint64_t max_ns[ROWS];
	double variance_ns2[ROWS];
	double doubt_ns[ROWS];
	struct counts counts;
	uint64_t measured_ns[ROWS];
};

static struct rows measured_rows(const struct recorded_account *account)
{
	return (struct rows){.ns = {[STMLOG_ACCOUNT_COMMITTED] = account->committed_ns,
				     [STMLOG_ACCOUNT_ABORTED] = account->aborted_ns,
				     [STMLOG_ACCOUNT_PAUSED] = account->paused_ns,
				     [STMLOG_ACCOUNT_WAITING] = account->waiting_ns,
				     [STMLOG_ACCOUNT_OTHER] = account->other_ns,
				     [STMLOG_ACCOUNT_OUTSIDE] = account->outside_ns,
				     [STMLOG_ACCOUNT_DESCHEDULED] = account->descheduled_ns,
				     [STMLOG_ACCOUNT_BLOCKED] = account->blocked_ns}};
}

/* Sets the estimates of a thread that have members of their own; none is below what was measured. */
static void set_estimates(
	struct rows *rows, const struct stmlog_thread_record *thread, struct account_under_way under_way)
{
	const uint64_t estimates[ROWS] = {
		[STMLOG_ACCOUNT_COMMITTED] = thread->estimated_committed_ns,
		[STMLOG_ACCOUNT_ABORTED] = account_all_aborts(thread).estimated_ns,
		[STMLOG_ACCOUNT_PAUSED] = thread->estimated_paused_ns + under_way.paused_ns,
		[STMLOG_ACCOUNT_WAITING] = thread->estimated_waiting_inevitable_ns + thread->estimated_waiting_none_ns +
					   under_way.waiting_ns,
		[STMLOG_ACCOUNT_OTHER] = thread->estimated_other_ns,
		[STMLOG_ACCOUNT_BLOCKED] = thread->estimated_blocked_ns,
	};
	for (size_t row = 0; row < ROWS; row++) {
		rows->variance_ns2[row] = account_variance_ns2(thread, row);
		rows->doubt_ns[row] = (double)account_doubt_ns(thread, row);
		if (is_estimated(row) && estimates[row] > rows->ns[row])
			rows->ns[row] = estimates[row];
	}
}

/* Times of a damaged file may add up to anything. */
static double rows_sum_ns(const uint64_t *ns)
{
	double sum = 0;
	for (size_t row = 0; row < ROWS; row++)
		sum += is_estimated(row) ? (double)ns[row] : 0;
	return sum;
}

static uint64_t rounded_down(double ns)
{
	return ns < 1.8e19 ? (uint64_t)ns : UINT64_MAX;
}

/* The factors by which rows_fit() cuts the measured times, and the parts of the estimates beyond them. */
struct kept {
	double measured, beyond;
};

/* Measured times are not cut, unless even they exceed the time there was, which only damage explains. */
static struct kept kept_of(const struct rows *rows, const uint64_t *measured_ns, double left_ns)
{
	double all_ns = rows_sum_ns(rows->ns), min_ns = rows_sum_ns(measured_ns);
	if (all_ns <= left_ns)
		return (struct kept){1, 1};
	if (min_ns < left_ns)
		return (struct kept){1, (left_ns - min_ns) / (all_ns - min_ns)};
	return (struct kept){min_ns > 0 ? left_ns / min_ns : 0, 0};
}

/* Cuts the estimates in proportion, so that they add up to `left_ns` at most. The time that is cut from a row is added
 * to its doubt. Returns the rest. */
static uint64_t rows_fit(struct rows *rows, const uint64_t *measured_ns, uint64_t left_ns)
{
	struct kept kept = kept_of(rows, measured_ns, (double)left_ns);
	for (size_t row = 0; row < ROWS; row++) {
		if (!is_estimated(row))
			continue;
		uint64_t whole = rows->ns[row], measured = smaller_ns(measured_ns[row], whole), cut = whole;
		if (kept.beyond < 1)
			cut = rounded_down((double)measured * kept.measured) +
			      rounded_down((double)(whole - measured) * kept.beyond);
		rows->ns[row] = smaller_ns(cut, smaller_ns(whole, left_ns));
		left_ns -= rows->ns[row];
		rows->doubt_ns[row] += (double)(whole - rows->ns[row]);
	}
	return left_ns;
}

static struct estimate_error row_error(const struct rows *rows, size_t row)
{
	return (struct estimate_error){rows->variance_ns2[row], rows->doubt_ns[row]};
}

/* Sets the bounds from the estimates, which add up to `whole_ns`. */
static void bound(struct rows *rows, uint64_t whole_ns)
{
	uint64_t room_ns = whole_ns;
	for (size_t row = 0; row < ROWS; row++) {
		if (row == STMLOG_ACCOUNT_OUTSIDE)
			rows->min_ns[row] = 0;
		if (row == STMLOG_ACCOUNT_DESCHEDULED) {
			rows->min_ns[row] = estimate_make(rows->ns[row], row_error(rows, row), 0, UINT64_MAX).low_ns;
		}
		rows->min_ns[row] = smaller_ns(rows->min_ns[row], rows->ns[row]);
		room_ns = saturated_difference(room_ns, rows->min_ns[row]);
	}
	for (size_t row = 0; row < ROWS; row++)
		rows->max_ns[row] = rows->min_ns[row] + room_ns;
}

static void make_exact(struct rows *rows)
{
	for (size_t row = 0; row < ROWS; row++)
		rows->min_ns[row] = rows->max_ns[row] = rows->ns[row];
}

static struct counts counts_of(const struct stmlog_thread_record *thread)
{
	return (struct counts){
		.measured = {[STMLOG_ACCOUNT_COMMITTED] = thread->commits,
			[STMLOG_ACCOUNT_ABORTED] = account_all_aborts(thread).count,
			[STMLOG_ACCOUNT_PAUSED] = thread->pauses,
			[STMLOG_ACCOUNT_WAITING] = thread->waits_inevitable + thread->waits_none},
		.unmeasured_commits = thread->unmeasured_commits,
		.unmeasured_aborts = thread->unmeasured_aborts,
	};
}

static struct rows rows_of_thread(const struct recording *recording, const struct stmlog_thread_record *thread)
{
	struct recorded_account account = account_of(recording, thread);
	struct account_under_way under_way = account_under_way(recording, thread);
	struct rows rows = measured_rows(&account);
	rows.counts = counts_of(thread);
	memcpy(rows.measured_ns, rows.ns, sizeof rows.ns);
	if (!recording_is_sampled(recording)) {
		make_exact(&rows);
		return rows;
	}
	uint64_t whole_ns = saturated_difference(account.attached_ns, account.open_ns);
	for (size_t row = 0; row < ROWS; row++)
		rows.min_ns[row] = rows.ns[row];
	set_estimates(&rows, thread, under_way);
	rows.ns[STMLOG_ACCOUNT_DESCHEDULED] = smaller_ns(account.descheduled_ns, whole_ns);
	rows.ns[STMLOG_ACCOUNT_OUTSIDE] = rows_fit(&rows, rows.min_ns, whole_ns - rows.ns[STMLOG_ACCOUNT_DESCHEDULED]);
	bound(&rows, whole_ns);
	return rows;
}

static void rows_add(struct rows *sum, const struct rows *more)
{
	for (size_t row = 0; row < ROWS; row++) {
		sum->ns[row] += more->ns[row];
		sum->min_ns[row] += more->min_ns[row];
		sum->max_ns[row] += more->max_ns[row];
		sum->variance_ns2[row] += more->variance_ns2[row];
		sum->doubt_ns[row] += more->doubt_ns[row];
		sum->measured_ns[row] += more->measured_ns[row];
		sum->counts.measured[row] += more->counts.measured[row];
	}
	sum->counts.unmeasured_commits += more->counts.unmeasured_commits;
	sum->counts.unmeasured_aborts += more->counts.unmeasured_aborts;
}

static struct rows rows_of_all(const struct recording *recording)
{
	struct rows sum = {.ns = {0}};
	for (size_t i = 0; i < recording->thread_count; i++) {
		struct rows own = rows_of_thread(recording, &recording->threads[i]);
		rows_add(&sum, &own);
	}
	return sum;
}

/* ---- what was not measured ---- */

static double row_mean_ns(const struct rows *rows, size_t row)
{
	uint64_t count = rows->counts.measured[row];
	return count != 0 ? (double)rows->measured_ns[row] / (double)count : 0;
}

/* The time of the aborted attempts that were counted and that no measured one stands for: each takes as long as the
 * mean attempt that aborted or committed. Few measured ones stand for themselves only. */
static double uncovered_aborts_ns(const struct rows *rows)
{
	enum { ROW = STMLOG_ACCOUNT_ABORTED };
	double aborted = row_mean_ns(rows, ROW), committed = row_mean_ns(rows, STMLOG_ACCOUNT_COMMITTED);
	double surplus_ns = (double)saturated_difference(rows->ns[ROW], rows->measured_ns[ROW]);
	double count = (double)rows->counts.unmeasured_aborts, each = aborted > committed ? aborted : committed;
	if (rows->counts.measured[ROW] < ESTIMATE_MIN_LOSSES || aborted <= 0)
		return count * each - surplus_ns;
	return (count - surplus_ns / aborted) * each;
}

/* A sample of n transactions in which no loss of a kind was found: with 95 % confidence, fewer than 3/n of all have one
 * (the rule of three). Each is supposed to be as long as the mean transaction. */
static double unseen_ns(const struct rows *rows)
{
	double measured = (double)rows->counts.measured[STMLOG_ACCOUNT_COMMITTED];
	double unmeasured = (double)rows->counts.unmeasured_commits;
	if (unmeasured <= 0)
		return 0;
	return measured > 0 ? 3 / measured * unmeasured * row_mean_ns(rows, STMLOG_ACCOUNT_COMMITTED) : DBL_MAX;
}

/* How far the upper end lies above the estimate at least, because of what was not measured. Where transactions are
 * timed, the library has put it into the variances and doubts of the rows. */
static uint64_t reach_ns(const struct recording *recording, const struct rows *rows, size_t row)
{
	bool is_loss = (TALLY_LOSSES & TALLY_ROW(row)) != 0, is_aborted = row == STMLOG_ACCOUNT_ABORTED;
	bool is_counted = is_aborted && recording->info.counters_known == 1;
	double reach = is_aborted ? uncovered_aborts_ns(rows) : 0;
	if (!is_loss || recording->info.timed_commits != 0)
		return 0;
	if (!is_counted && rows->counts.measured[row] < ESTIMATE_MIN_LOSSES)
		reach = reach > unseen_ns(rows) ? reach : unseen_ns(rows);
	return estimate_whole(reach);
}

/* Every abort was counted, and there was none: whatever the library doubts, none took any time. */
static bool is_certainly_nothing(const struct recording *recording, const struct rows *rows, size_t row)
{
	uint64_t count = rows->counts.measured[STMLOG_ACCOUNT_ABORTED] + rows->counts.unmeasured_aborts;
	return row == STMLOG_ACCOUNT_ABORTED && rows->ns[row] == 0 && count == 0 &&
	       recording->info.counters_known == 1 && recording_has_exact_totals(recording);
}

/* ---- intervals ---- */

static struct estimate interval_of(const struct recording *recording, const struct rows *rows, size_t row)
{
	struct estimate_error error = row_error(rows, row);
	if (row == STMLOG_ACCOUNT_OUTSIDE) {
		for (size_t other = 0; other < ROWS; other++)
			error.doubt_ns += (double)reach_ns(recording, rows, other);
		return estimate_rest(rows->ns[row], error, rows->min_ns[row], rows->max_ns[row]);
	}
	struct estimate estimate = estimate_make(rows->ns[row], error, rows->min_ns[row], rows->max_ns[row]);
	uint64_t reach = smaller_ns(saturated_sum(estimate.ns, reach_ns(recording, rows, row)), rows->max_ns[row]);
	estimate.high_ns = estimate.high_ns > reach ? estimate.high_ns : reach;
	if (is_certainly_nothing(recording, rows, row))
		estimate.high_ns = 0;
	return estimate;
}

/* The rows add up to the time there was: so each is at most what the lower ends of the others leave. */
static void respect_others(struct account_rows *rows, uint64_t whole_ns)
{
	uint64_t low_ns = 0;
	for (size_t row = 0; row < ROWS; row++)
		low_ns = saturated_sum(low_ns, rows->at[row].low_ns);
	uint64_t room_ns = saturated_difference(whole_ns, low_ns);
	for (size_t row = 0; row < ROWS; row++) {
		struct estimate *estimate = &rows->at[row];
		uint64_t max_ns = saturated_sum(estimate->low_ns, room_ns);
		estimate->high_ns = larger_ns(smaller_ns(estimate->high_ns, max_ns), estimate->ns);
	}
}

static struct account_rows with_intervals(const struct recording *recording, const struct rows *rows)
{
	struct account_rows out;
	uint64_t whole_ns = 0;
	for (size_t row = 0; row < ROWS; row++) {
		struct estimate estimate = interval_of(recording, rows, row);
		bool may_be_known = row == STMLOG_ACCOUNT_DESCHEDULED || row == STMLOG_ACCOUNT_BLOCKED;
		bool is_known = may_be_known && estimate.low_ns == estimate.high_ns;
		estimate.measured_ns = rows->measured_ns[row];
		estimate.is_exact = !recording_is_sampled(recording) || is_known;
		out.at[row] = estimate;
		whole_ns = saturated_sum(whole_ns, rows->ns[row]);
	}
	respect_others(&out, whole_ns);
	return out;
}

struct account_rows account_rows(const struct recording *recording, const struct stmlog_thread_record *thread)
{
	struct rows rows = rows_of_thread(recording, thread);
	return with_intervals(recording, &rows);
}

struct account_rows account_rows_total(const struct recording *recording)
{
	struct rows rows = rows_of_all(recording);
	return with_intervals(recording, &rows);
}

/* ---- the rest ---- */

const char *account_row_name(size_t row)
{
	static const char *const names[ROWS] = {
		"committed", "aborted", "paused", "waiting", "other", "outside", "descheduled", "blocked"};
	REQUIRES(row < ROWS);
	return names[row];
}

void recording_set_rows(struct recording *recording)
{
	struct account_rows rows = account_rows_total(recording);
	struct recorded_account total = account_total(recording);
	recording->rows_ns = saturated_difference(total.attached_ns, total.open_ns);
	for (size_t row = 0; row < ROWS; row++) {
		recording->row_ns[row] = rows.at[row].ns;
		recording->row_min_ns[row] = rows.at[row].low_ns;
		recording->row_max_ns[row] = rows.at[row].high_ns;
		recording->row_measured_ns[row] = rows.at[row].measured_ns;
	}
}

/* ---- the time of a row that no measured loss explains ---- */

/* The rows are based on more transactions than the losses: on all that were timed. */

static struct tally_sum explained_of(const struct recording *recording, size_t row)
{
	struct tally_sum sum = {.rows = TALLY_ROW(row)};
	for (size_t i = 0; i < recording->total_count; i++) {
		struct tally_sum more = tally_sum_of_total(&recording->totals[i]);
		if (more.rows == TALLY_ROW(row))
			tally_sum_add(&sum, &more);
	}
	return sum;
}

/* The time of waits under way, which the list of open waits explains. */
static uint64_t under_way_ns(const struct recording *recording, size_t row)
{
	uint64_t sum_ns = 0;
	for (size_t i = 0; i < recording->thread_count; i++) {
		struct account_under_way ns = account_under_way(recording, &recording->threads[i]);
		sum_ns += row == STMLOG_ACCOUNT_PAUSED    ? ns.paused_ns
			  : row == STMLOG_ACCOUNT_WAITING ? ns.waiting_ns
							  : 0;
	}
	return sum_ns;
}

static void add_exact(struct estimate *estimate, uint64_t ns)
{
	estimate->ns += ns;
	estimate->low_ns += ns;
	estimate->high_ns += ns;
	estimate->measured_ns += ns;
}

struct account_unexplained account_unexplained(const struct recording *recording, size_t row)
{
	struct tally_sum sum = explained_of(recording, row);
	struct estimate known = sum.count != 0 ? estimate_of(recording, &sum) : estimate_exact(0);
	add_exact(&known, under_way_ns(recording, row));
	bool is_too_few = estimate_is_too_few(recording, sum.count);
	return (struct account_unexplained){
		.time = {saturated_difference(recording->row_ns[row], known.ns),
			saturated_difference(recording->row_min_ns[row], known.high_ns),
			saturated_difference(recording->row_max_ns[row], known.low_ns),
			saturated_difference(recording->row_measured_ns[row], known.measured_ns),
			!recording_is_sampled(recording)},
		.losses = sum.count,
		.is_beyond_chance = recording->row_ns[row] > known.high_ns || is_too_few,
	};
}

double account_scale(const struct recording *recording, size_t row)
{
	struct tally_sum sum = explained_of(recording, row);
	struct account_unexplained rest = account_unexplained(recording, row);
	double known_ns = sum.count != 0 ? (double)estimate_of(recording, &sum).ns : 0;
	uint64_t row_ns = saturated_difference(recording->row_ns[row], under_way_ns(recording, row));
	bool is_known = known_ns > 0 && row_ns > 0 && recording->rows_ns != 0 && !rest.is_beyond_chance;
	return is_known ? (double)row_ns / known_ns : 1;
}

/* If the losses are too few, the time that they explain is not known either: then the whole row counts as unexplained.
 */
static unsigned unexplained_share(
	const struct recording *recording, const struct account_unexplained *rest, unsigned tenths)
{
	double attached_ns = (double)account_total(recording).attached_ns;
	if (rest->losses == 0 || estimate_is_too_few(recording, rest->losses))
		return tenths;
	unsigned part = (unsigned)(estimate_whole((double)rest->time.ns * 1000 / attached_ns));
	return part < tenths ? part : tenths;
}

char *account_unexplained_text(const struct recording *recording, size_t row, unsigned tenths)
{
	enum { MIN = 10 };
	struct account_unexplained rest = account_unexplained(recording, row);
	unsigned share = unexplained_share(recording, &rest, tenths);
	bool is_too_few = estimate_is_too_few(recording, rest.losses), is_sampled = recording_is_sampled(recording);
	if (!rest.is_beyond_chance || share < MIN)
		return NULL;
	char *of_losses = rest.losses != 0 && is_too_few ? memory_format("of only %" PRIu64 " measured loss%s",
								   rest.losses, rest.losses == 1 ? "" : "es")
							 : memory_text("of no measured loss");
	char *text = memory_format("%s %s: %s%s", account_row_name(row), number_tenths(share).text, of_losses,
		is_sampled ? "; record --sample=1 tells where" : "");
	memory_free(of_losses);
	return text;
}

bool account_has_unexplained(const struct recording *recording)
{
	struct account_shares shares = account_shares(recording);
	bool has = false;
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS && !has; row++) {
		bool is_loss = (TALLY_LOSSES & TALLY_ROW(row)) != 0;
		char *text = is_loss ? account_unexplained_text(recording, row, shares.tenths[row]) : NULL;
		has = text != NULL;
		memory_free(text);
	}
	return has;
}

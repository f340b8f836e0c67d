/* SPDX-License-Identifier: MIT
 * Adds to the sums of transactions with weights, and of timed transactions. */
#include "sampled.h"

#include <string.h>

/* ---- transactions with weights ---- */

static enum stmlog_account_row row_of(enum account_slot slot)
{
	switch (slot) {
	case COMMITTED_SLOT:
		return STMLOG_ACCOUNT_COMMITTED;
	case PAUSED_STATE:
		return STMLOG_ACCOUNT_PAUSED;
	case WAITING_INEVITABLE_STATE:
	case WAITING_NONE_STATE:
		return STMLOG_ACCOUNT_WAITING;
	case OTHER_STATE:
		return STMLOG_ACCOUNT_OTHER;
	case BLOCKED_STATE:
		return STMLOG_ACCOUNT_BLOCKED;
	default:
		return STMLOG_ACCOUNT_ABORTED;
	}
}

/* The row's variance is the sum of w (w - 1) x^2, where x is the time of a transaction in the row (weigh.h). The
 * transaction under way has spent `ns` more there: adds the growth of its term. `square`: w (w - 1). */
static inline void vary(struct sampled *sampled, enum stmlog_account_row row, double square, double ns)
{
	double before_ns = sampled->running_ns[row];
	account_add_double(&sampled->variance_ns2[row], square * ns * (2 * before_ns + ns));
	sampled->running_ns[row] = before_ns + ns;
}

static void add_to_window(struct sampled *sampled, enum account_slot slot, uint64_t ns)
{
	struct window_sums *window = &sampled->window;
	enum stmlog_account_row row = row_of(slot);
	if ((int)row >= OBSERVED_ROWS)
		return;
	if (slot == COMMITTED_SLOT || slot >= ABORTED_SLOT)
		ns -= ns < sampled->within_ns ? ns : sampled->within_ns;
	window->ns[row] += ns;
	window->ns[STMLOG_ACCOUNT_OUTSIDE] += ns;
	window->commits += slot == COMMITTED_SLOT;
	window->failed += slot >= ABORTED_SLOT;
}

void sampled_weigh(struct sampled *sampled, enum account_slot slot, uint64_t ns)
{
	account_add_saturated(&sampled->surplus_ns[slot], saturated_product(ns, sampled->extra_weight));
	account_add(&sampled->weighted_ns[slot], ns);
	if (slot == COMMITTED_SLOT)
		account_add(&sampled->weighted_commits, 1);
	if (slot >= ABORTED_SLOT) {
		account_add(&sampled->weighted_aborts, 1);
		account_add(&sampled->surplus_aborts, sampled->extra_weight);
	}
	if (AO_load(&sampled->has_windows) != 0) {
		add_to_window(sampled, slot, ns);
		return;
	}
	double extra = sampled->extra_weight, square = (1 + extra) * extra;
	vary(sampled, row_of(slot), square, (double)ns);
	vary(sampled, STMLOG_ACCOUNT_OUTSIDE, square, (double)ns);
}

void sampled_begin(struct sampled *sampled)
{
	memset(sampled->running_ns, 0, sizeof sampled->running_ns);
}

/* ---- timed transactions ---- */

static void add_row(struct observed_row *row, double weight, double ns, double commits)
{
	double square = weight * (weight - 1);
	account_add_double(&row->sum, weight * ns);
	account_add_double(&row->square, square * ns * ns);
	account_add_double(&row->cross, square * ns * commits);
}

/* Failed attempts of an observation, and their time. */
static void add_failed(struct timed *sums, double weight, uint64_t failures, uint64_t aborted_ns)
{
	double failed = (double)failures, square = weight * (weight - 1);
	account_add_saturated(&sums->failures, failures);
	account_add_double(&sums->failed, weight * failed);
	account_add_double(&sums->failed_cross, square * (double)aborted_ns * failed);
	account_add_double(&sums->failed_square, square * failed * failed);
}

/* Adds an observation of this weight, which has so many commits: a transaction, or a window. */
static void add_observation(
	struct observations *sums, double weight, double commits, const uint64_t rows[OBSERVED_ROWS])
{
	account_add(&sums->count, 1);
	account_add_double(&sums->weight, weight * commits);
	account_add_double(&sums->square, weight * (weight - 1) * commits * commits);
	for (size_t row = 0; row < OBSERVED_ROWS; row++)
		if (rows[row] != 0)
			add_row(&sums->rows[row], weight, (double)rows[row], commits);
}

static void add_sampled(
	struct timed *sums, const struct stmlog_timed_transaction *timed, const uint64_t rows[OBSERVED_ROWS])
{
	add_observation(&sums->all, timed->weight, timed->has_committed, rows);
	if (timed->failed != 0)
		add_failed(sums, timed->weight, timed->failed, timed->aborted_ns);
}

static void add_apart(
	struct apart *sums, const struct stmlog_timed_transaction *timed, const uint64_t rows[OBSERVED_ROWS])
{
	double weight = timed->weight;
	account_add(&sums->count, 1);
	if (timed->has_committed)
		account_add_double(&sums->commits, weight);
	account_add_double(&sums->failed, weight * (double)timed->failed);
	for (size_t row = 0; row < OBSERVED_ROWS; row++) {
		double ns = (double)rows[row];
		account_add_double(&sums->sum[row], weight * ns);
		account_add_double(&sums->square[row], weight * (weight - 1) * ns * ns);
	}
}

void sampled_add_timed(struct sampled *sampled, const struct stmlog_timed_transaction *timed)
{
	struct timed *sums = &sampled->timed;
	const uint64_t rows[OBSERVED_ROWS] = {[STMLOG_ACCOUNT_COMMITTED] = timed->committed_ns,
		[STMLOG_ACCOUNT_ABORTED] = timed->aborted_ns,
		[STMLOG_ACCOUNT_PAUSED] = timed->paused_ns,
		[STMLOG_ACCOUNT_WAITING] = timed->waiting_ns,
		[STMLOG_ACCOUNT_OUTSIDE] = saturated_sum(saturated_sum(timed->committed_ns, timed->aborted_ns),
			saturated_sum(timed->paused_ns, timed->waiting_ns))};
	if (timed->has_committed)
		account_add(&sums->commits, 1);
	if (timed->is_apart)
		add_apart(&sampled->apart, timed, rows);
	else
		add_sampled(sums, timed, rows);
}

/* The member that it empties had other sums, in a forked child or of the record's last thread. */
void sampled_begin_windows(struct sampled *sampled)
{
	sampled->window = (struct window_sums){.commits = 0};
	AO_store(&sampled->has_windows, 1);
}

void sampled_end_window(struct sampled *sampled)
{
	const struct window_sums *window = &sampled->window;
	double weight = 1.0 + sampled->extra_weight;
	add_observation(&sampled->timed.all, weight, (double)window->commits, window->ns);
	if (window->failed != 0)
		add_failed(&sampled->timed, weight, window->failed, window->ns[STMLOG_ACCOUNT_ABORTED]);
	sampled->window = (struct window_sums){.commits = 0};
}

bool sampled_add_unmeasured(struct sampled *sampled, uint64_t commits, uint64_t aborts)
{
	account_add_saturated(&sampled->unmeasured_commits, commits);
	account_add_saturated(&sampled->unmeasured_aborts, aborts);
	return AO_load(&sampled->unmeasured_commits) != UINT64_MAX &&
	       AO_load(&sampled->unmeasured_aborts) != UINT64_MAX;
}

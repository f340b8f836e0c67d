/* SPDX-License-Identifier: MIT
 * Verifies the estimated rows of accounts: that they fit into the time there was, that their intervals are intervals,
 * that no loss exceeds the row that it is a part of, and that processes have together what all threads have. */
#include <inttypes.h>

#include <stmlog/read.h>

#include "recorded_account.h"
#include "verify.h"

/* ---- threads ---- */

/* The times that have estimates of their own. */
enum { TIMES = 11 };
struct times {
	uint64_t measured[TIMES], estimated[TIMES];
};

static struct times times_of(const struct stmlog_thread_record *t)
{
	return (struct times){{t->committed_ns, t->aborted_ns[0], t->aborted_ns[1], t->aborted_ns[2], t->aborted_ns[3],
				      t->aborted_data_ns, t->paused_ns, t->waiting_inevitable_ns, t->waiting_none_ns,
				      t->other_ns, t->blocked_ns},
		{t->estimated_committed_ns, t->estimated_aborted_ns[0], t->estimated_aborted_ns[1],
			t->estimated_aborted_ns[2], t->estimated_aborted_ns[3], t->estimated_aborted_data_ns,
			t->estimated_paused_ns, t->estimated_waiting_inevitable_ns, t->estimated_waiting_none_ns,
			t->estimated_other_ns, t->estimated_blocked_ns}};
}

static void check_estimates(struct verifier *verifier, const struct stmlog_thread_record *thread)
{
	struct times times = times_of(thread);
	bool is_sampled = recording_is_sampled(verifier->recording), holds = true;
	for (size_t i = 0; i < TIMES; i++)
		holds = holds && (is_sampled ? times.estimated[i] >= times.measured[i]
					     : times.estimated[i] == times.measured[i]);
	if (!holds)
		verify_report(verifier, "thread %" PRIu32 ": %s", thread->id,
			is_sampled ? "an estimate is below what was measured"
				   : "an estimate is not what was measured, though all was");
}

static void check_fit(struct verifier *verifier, const struct stmlog_thread_record *thread)
{
	struct times times = times_of(thread);
	unsigned __int128 sum_ns = thread->open_ns;
	sum_ns += thread->descheduled_ns;
	for (size_t i = 0; i < TIMES; i++)
		sum_ns += times.estimated[i];
	if (recording_is_sampled(verifier->recording) && sum_ns > thread->attached_ns)
		verify_report(verifier, "thread %" PRIu32 ": its estimates exceed its attached time", thread->id);
}

static void check_variances(struct verifier *verifier, const struct stmlog_thread_record *thread)
{
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++) {
		if (!verify_is_variance(verifier, account_variance_ns2(thread, row)))
			verify_report(verifier, "thread %" PRIu32 ": the variance of '%s' is below 0 or no number",
				thread->id, account_row_name(row));
	}
}

/* ---- processes ---- */

static void check_processes(struct verifier *verifier)
{
	const struct recording *recording = verifier->recording;
	struct recorded_account total = account_total(recording), sum = {.attached_ns = 0};
	for (size_t i = 0; i < recording->process_count; i++) {
		const struct stmlog_process_record *process = &recording->processes[i];
		struct recorded_account more = {
			.attached_ns = process->attached_ns, .commits = process->commits, .aborts = process->aborts};
		account_add(&sum, &more);
	}
	if (recording->process_count != 0 &&
		(sum.attached_ns != total.attached_ns || sum.commits != total.commits || sum.aborts != total.aborts))
		verify_report(verifier,
			"the processes have %" PRIu64 " ns, %" PRIu64 " commits and %" PRIu64
			" aborts, the threads %" PRIu64 " ns, %" PRIu64 " and %" PRIu64,
			sum.attached_ns, sum.commits, sum.aborts, total.attached_ns, total.commits, total.aborts);
}

/* ---- rows of the whole ---- */

static void check_intervals(struct verifier *verifier)
{
	struct account_rows rows = account_rows_total(verifier->recording);
	for (size_t row = 0; row < STMLOG_ACCOUNT_ROWS; row++) {
		const struct estimate *at = &rows.at[row];
		if (at->low_ns > at->ns || at->ns > at->high_ns)
			verify_report(verifier, "row '%s': %" PRIu64 " ns do not lie between %" PRIu64 " and %" PRIu64,
				account_row_name(row), at->ns, at->low_ns, at->high_ns);
	}
}

/* The upper end of the rows that the sum is a part of, and what rounding adds. */
static double max_of(const struct recording *recording, const struct tally_sum *sum)
{
	double max_ns = (double)recording->thread_count + 1;
	for (unsigned row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
		max_ns += sum->rows & TALLY_ROW(row) ? (double)recording->row_max_ns[row] : 0;
	return max_ns * (1 + 1e-9);
}

static void check_entries(struct verifier *verifier)
{
	for (size_t i = 0; i < verifier->recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &verifier->recording->entries[i];
		struct tally_sum sum = tally_sum_of(entry);
		if (entry->estimated_ns > max_of(verifier->recording, &sum))
			verify_report(verifier, "entry %zu: its estimate exceeds the row that it is a part of", i);
	}
}

void verify_rows(struct verifier *verifier)
{
	const struct recording *recording = verifier->recording;
	for (size_t i = 0; i < recording->thread_count; i++) {
		check_estimates(verifier, &recording->threads[i]);
		check_fit(verifier, &recording->threads[i]);
		check_variances(verifier, &recording->threads[i]);
	}
	check_processes(verifier);
	if (!recording_is_sampled(recording))
		return;
	check_intervals(verifier);
	check_entries(verifier);
}

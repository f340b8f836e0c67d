/* SPDX-License-Identifier: MIT
 * Verifies the estimated rows of accounts: that they fit into the time there was, that their intervals are
 * intervals, that no loss exceeds the row that it is a part of, and that processes have together what all threads
 * have.
 *
 * Verifies, too, that paths, distributions of transactions and times blocked add up to the accounts of the threads.
 * The library reads them after the accounts, so that they may be larger if a thread had not ended. */
#include <inttypes.h>

#include <stmlog/read.h>

#include "record_sums.h"
#include "recorded_account.h"
#include "verify.h"

/* The times that have estimates of their own. */
enum { TIMES = 11 };
struct times {
	uint64_t measured[TIMES], estimated[TIMES];
};

/* ---- estimated rows of threads ---- */

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

/* ---- paths, transactions, times blocked ---- */

static bool have_all_ended(const struct recording *recording)
{
	for (size_t i = 0; i < recording->thread_count; i++)
		if (!(recording->threads[i].flags & STMLOG_THREAD_ENDED))
			return false;
	return true;
}

static void report_difference(struct verifier *verifier, const char *what, uint64_t spent, uint64_t threads)
{
	if (spent < threads || (spent > threads && have_all_ended(verifier->recording)))
		verify_report(verifier, "%s: %" PRIu64 ", the threads have %" PRIu64, what, spent, threads);
}

/* The sum of all threads' accounts, in the members of a path. */
static struct stmlog_path_record spent_by_threads(const struct recording *recording)
{
	struct stmlog_path_record sum = {0};
	for (size_t i = 0; i < recording->thread_count; i++) {
		const struct stmlog_thread_record *thread = &recording->threads[i];
		sum.commits += thread->commits;
		sum.pauses += thread->pauses;
		sum.waits += thread->waits_inevitable + thread->waits_none;
		sum.committed_ns += thread->committed_ns;
		sum.paused_ns += thread->paused_ns;
		sum.waiting_ns += thread->waiting_inevitable_ns + thread->waiting_none_ns;
		struct account_aborts aborts = account_all_aborts(thread);
		sum.aborts += aborts.count;
		sum.aborted_ns += aborts.lost_ns;
	}
	return sum;
}

static void check_paths(struct verifier *verifier, const struct stmlog_path_record *threads)
{
	struct stmlog_path_record sum = {0};
	for (size_t i = 0; i < verifier->recording->path_count; i++) {
		const struct stmlog_path_record *path = &verifier->recording->paths[i];
		sum.commits += path->commits;
		sum.aborts += path->aborts;
		sum.pauses += path->pauses;
		sum.waits += path->waits;
		sum.committed_ns += path->committed_ns;
		sum.aborted_ns += path->aborted_ns;
		sum.paused_ns += path->paused_ns;
		sum.waiting_ns += path->waiting_ns;
	}
	report_difference(verifier, "commits of paths", sum.commits, threads->commits);
	report_difference(verifier, "aborts of paths", sum.aborts, threads->aborts);
	report_difference(verifier, "pauses of paths", sum.pauses, threads->pauses);
	report_difference(verifier, "waits of paths", sum.waits, threads->waits);
	report_difference(verifier, "ns committed of paths", sum.committed_ns, threads->committed_ns);
	report_difference(verifier, "ns aborted of paths", sum.aborted_ns, threads->aborted_ns);
	report_difference(verifier, "ns paused of paths", sum.paused_ns, threads->paused_ns);
	report_difference(verifier, "ns waiting of paths", sum.waiting_ns, threads->waiting_ns);
}

static uint64_t sum_of(const uint64_t *buckets, size_t len)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < len; i++)
		sum += buckets[i];
	return sum;
}

static void check_buckets(struct verifier *verifier, size_t i, const char *which, uint64_t sum,
	const struct stmlog_transaction_record *record)
{
	if (sum != record->commits)
		verify_report(verifier, "transactions %zu: %" PRIu64 " commits, but %" PRIu64 " by %s", i,
			record->commits, sum, which);
}

static void check_transactions(struct verifier *verifier, uint64_t committed)
{
	uint64_t commits = 0;
	for (size_t i = 0; i < verifier->recording->transaction_count; i++) {
		const struct stmlog_transaction_record *record = &verifier->recording->transactions[i];
		check_buckets(verifier, i, "attempts", sum_of(record->by_attempts, STMLOG_ATTEMPT_BUCKETS), record);
		check_buckets(verifier, i, "lost time", sum_of(record->by_lost_ns, STMLOG_LOST_BUCKETS), record);
		if (record->reads_known > record->commits)
			verify_report(verifier, "transactions %zu: %" PRIu64 " commits, but the reads of %" PRIu64, i,
				record->commits, record->reads_known);
		commits += record->commits;
	}
	report_difference(verifier, "commits by site", commits, committed);
}

/* Reports a site or a thread that was blocked in vain more often than it was blocked. */
static void check_vain(struct verifier *verifier, const char *whose, uint64_t number, uint64_t in_vain, uint64_t count)
{
	if (in_vain > count)
		verify_report(verifier, "%s %" PRIu64 ": blocked %" PRIu64 " times, but %" PRIu64 " in vain", whose,
			number, count, in_vain);
}

static void check_wakes(struct verifier *verifier, size_t i, const struct stmlog_blocked_record *record)
{
	uint64_t sum = 0;
	for (size_t k = 0; k < STMLOG_WAKERS; k++)
		sum += record->wakers[k].count;
	if (sum > record->wakes_known)
		verify_report(
			verifier, "site %zu: %" PRIu64 " wakes, but %" PRIu64 " by waker", i, record->wakes_known, sum);
}

static void check_blocked(struct verifier *verifier)
{
	const struct recording *recording = verifier->recording;
	struct recorded_account threads = account_total(recording);
	struct stmlog_blocked_record sum = {.count = 0};
	for (size_t i = 0; i < recording->blocked_count; i++) {
		blocked_record_add(&sum, &recording->blocked[i]);
		check_vain(verifier, "site", i, recording->blocked[i].in_vain, recording->blocked[i].count);
		check_wakes(verifier, i, &recording->blocked[i]);
	}
	for (size_t i = 0; i < recording->thread_count; i++) {
		struct recorded_account account = account_of(recording, &recording->threads[i]);
		check_vain(verifier, "thread", recording->threads[i].id, account.blocked_in_vain, account.blocked);
		check_vain(
			verifier, "thread", recording->threads[i].id, account.unattached_in_vain, account.unattached);
	}
	report_difference(verifier, "times blocked by site", sum.count, threads.blocked + threads.unattached);
	report_difference(
		verifier, "times in vain by site", sum.in_vain, threads.blocked_in_vain + threads.unattached_in_vain);
	report_difference(verifier, "ns blocked by site", sum.blocked_ns, threads.blocked_ns + threads.unattached_ns);
}

void verify_spent(struct verifier *verifier)
{
	const struct recording *recording = verifier->recording;
	struct stmlog_path_record threads = spent_by_threads(recording);
	if (recording->path_count > 0)
		check_paths(verifier, &threads);
	if (recording->transaction_count > 0)
		check_transactions(verifier, threads.commits);
	check_blocked(verifier);
}

/* SPDX-License-Identifier: MIT
 * Verifies that paths, distributions of transactions and times blocked add up to the accounts of the threads. The
 * library reads them after the accounts, so that they may be larger if a thread had not ended. */
#include <inttypes.h>

#include "recorded_account.h"
#include "record_sums.h"
#include "verify.h"

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

/* SPDX-License-Identifier: MIT
 * Adds the members of records one by one. */
#include "record_sums.h"

void numbers_add(uint64_t *sums, const uint64_t *more, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sums[i] += more[i];
}

/* How many numbers the members from `first` up to `behind` are: counts and times are contiguous, and the estimates
 * follow. */
#define PATH_NUMBERS(first, behind) \
	((offsetof(struct stmlog_path_record, behind) - offsetof(struct stmlog_path_record, first)) / sizeof(uint64_t))

void path_record_add(struct stmlog_path_record *sum, const struct stmlog_path_record *more)
{
	numbers_add(&sum->commits, &more->commits, PATH_NUMBERS(commits, estimated_committed_ns));
	sum->estimated_committed_ns += more->estimated_committed_ns;
	sum->estimated_aborted_ns += more->estimated_aborted_ns;
	sum->estimated_paused_ns += more->estimated_paused_ns;
	sum->estimated_waiting_ns += more->estimated_waiting_ns;
	sum->estimated_commits += more->estimated_commits;
	sum->estimated_aborts += more->estimated_aborts;
}

/* Adds a waker, unless there is no room for it. */
static void add_waker(struct stmlog_blocked_record *sum, uint32_t site, uint64_t count)
{
	for (size_t i = 0; i < STMLOG_WAKERS && count != 0; i++) {
		if (sum->wakers[i].count != 0 && sum->wakers[i].site != site)
			continue;
		sum->wakers[i].site = site;
		sum->wakers[i].count += count;
		return;
	}
}

void blocked_record_add(struct stmlog_blocked_record *sum, const struct stmlog_blocked_record *more)
{
	sum->count += more->count;
	sum->in_vain += more->in_vain;
	sum->blocked_ns += more->blocked_ns;
	if (more->longest_ns > sum->longest_ns)
		sum->longest_ns = more->longest_ns;
	sum->estimated_ns += more->estimated_ns;
	sum->wakes_known += more->wakes_known;
	sum->for_ever += more->for_ever;
	for (size_t i = 0; i < STMLOG_WAKERS; i++)
		add_waker(sum, more->wakers[i].site, more->wakers[i].count);
}

void transaction_record_add(struct stmlog_transaction_record *sum, const struct stmlog_transaction_record *more)
{
	sum->commits += more->commits;
	sum->attempts += more->attempts;
	sum->lost_ns += more->lost_ns;
	sum->committed_ns += more->committed_ns;
	sum->reads += more->reads;
	sum->reads_known += more->reads_known;
	sum->estimated_committed_ns += more->estimated_committed_ns;
	sum->estimated_commits += more->estimated_commits;
	if (more->max_attempts > sum->max_attempts)
		sum->max_attempts = more->max_attempts;
	if (more->longest_ns > sum->longest_ns)
		sum->longest_ns = more->longest_ns;
	numbers_add(sum->by_attempts, more->by_attempts, STMLOG_ATTEMPT_BUCKETS);
	numbers_add(sum->by_lost_ns, more->by_lost_ns, STMLOG_LOST_BUCKETS);
}

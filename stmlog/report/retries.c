/* SPDX-License-Identifier: MIT */
#include "retries.h"

#include "account.h"

struct retries retries_of(const struct recording *recording)
{
	struct retries retries = {.is_known = false};
	uint64_t commits = 0, aborts = 0;
	for (size_t i = 0; i < recording->thread_count; i++) {
		const struct stmlog_thread_record *thread = &recording->threads[i];
		commits += thread->commits;
		aborts += account_all_aborts(thread).count;
	}
	struct account all = account_estimate_total(recording);
	bool is_exact = recording_has_exact_totals(recording) && recording->info.commits_known != 0;
	if (!is_exact || !recording_is_sampled(recording) || !recording->has_estimates || commits == 0 ||
		aborts < RETRIES_LEAST_ABORTS)
		return retries;
	retries.measured = (double)aborts / (double)commits;
	retries.all = (double)all.aborts / (double)all.commits;
	retries.is_known = retries.all > retries.measured;
	double most_ns = (double)all.aborted_ns * (retries.all / retries.measured);
	retries.aborted_most_ns = most_ns < (double)all.attached_ns ? (uint64_t)most_ns : all.attached_ns;
	return retries;
}

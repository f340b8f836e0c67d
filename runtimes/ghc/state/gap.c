/* SPDX-License-Identifier: MIT
 * Estimates how long failed attempts took that were not measured, from the gaps that they end. */
#include "gap.h"

/* The time of the gap that its commits do not explain. Below 0 if they were shorter than the mean commit. */
static int64_t unexplained_ns(const struct ghc_capability *mine, uint64_t now_ns)
{
	const struct ghc_gap *gap = &mine->gap;
	double commits = (double)(capability_commits(mine) - gap->commits);
	double each_ns = gap->clean_commits != 0 ? (double)gap->clean_ns / (double)gap->clean_commits : 0;
	return (int64_t)(now_ns - gap->since_ns) - (int64_t)(commits * each_ns);
}

/* Gaps of unknown length count as much as the known ones on average. */
static void publish_failed(struct ghc_gap *gap)
{
	double known_ns = gap->known_ns > 0 ? (double)gap->known_ns : 0;
	double all = (double)(gap->known + gap->unknown);
	AO_store(&gap->failed_ns, gap->known != 0 ? (AO_t)(known_ns * all / (double)gap->known) : 0);
}

void gap_count_failed(struct ghc_capability *mine)
{
	struct ghc_gap *gap = &mine->gap;
	uint64_t now_ns = stmlog_now_ns();
	capability_count(&mine->aborts);
	if (gap->since_ns != 0) {
		gap->known++;
		gap->known_ns += unexplained_ns(mine, now_ns);
	} else {
		gap->unknown++;
	}
	publish_failed(gap);
	gap_begin(mine, now_ns);
}

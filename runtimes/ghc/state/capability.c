/* SPDX-License-Identifier: MIT
 * The table of capabilities, which is filled under a lock, and read without; and the time that failed attempts took
 * which were not measured, estimated for each capability. */
#include "capability.h"

#include <pthread.h>

#include "lane.h"
#include "pages.h"
#include "sampling.h"

__thread struct capability_held capability_held;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ghc_capability *made[CAPABILITIES_MAX];
static volatile AO_t made_len;
static bool is_any_unknown; /* there is a capability for which there was no memory */

size_t capabilities_len(void)
{
	return AO_load_acquire(&made_len);
}

static struct ghc_capability *find_made(const struct hs_capability *real)
{
	for (size_t i = 0, len = capabilities_len(); i < len; i++)
		if (made[i]->hooked == real)
			return made[i];
	return NULL;
}

void capability_await_start(struct ghc_capability *mine)
{
	watch_set(&mine->awaits_start, true);
}

static struct ghc_capability *make(struct hs_capability *real)
{
	size_t index = AO_load(&made_len);
	struct ghc_capability *mine = index < CAPABILITIES_MAX ? native_pages(sizeof *mine) : NULL;
	if (mine == NULL)
		return NULL;
	mine->hooked = real;
	mine->number = (uint32_t)index;
	sampling_begin(mine);
	capability_await_start(mine);
	if (index != 0)
		watch_rival(true);
	made[index] = mine;
	AO_store_release(&made_len, index + 1); /* partner: capabilities_len() */
	return mine;
}

static struct ghc_capability *find_or_make(struct hs_capability *real)
{
	pthread_mutex_lock(&lock);
	struct ghc_capability *found = find_made(real);
	if (found == NULL)
		found = make(real);
	if (found == NULL)
		watch_set(&is_any_unknown, true); /* so hook_start() begins all its TRecs, and sets their marks */
	pthread_mutex_unlock(&lock);
	return found;
}

/* An OS thread that has called C may come back to another capability. */
struct ghc_capability *capability_find_slow(struct hs_capability *real)
{
	struct ghc_capability *found = find_made(real);
	if (found == NULL)
		found = find_or_make(real);
	if (found != NULL)
		capability_held = (struct capability_held){real, found};
	return found;
}

struct ghc_capability *capability_at(size_t index)
{
	return made[index];
}

bool capability_read_counts(void *arg, struct stmlog_unmeasured_counts *counts)
{
	enum { TRIES = 1000 };
	const struct ghc_capability *mine = arg;
	counts->aborts = AO_load(&mine->aborts);
	counts->aborted_ns = AO_load(&mine->gap.failed_ns);
	for (int i = 0; i < TRIES; i++) {
		AO_t changes = AO_load_acquire(&mine->changes);
		AO_t due_at = AO_load_acquire(&mine->due_at), left = AO_load_acquire(&mine->left);
		counts->commits = due_at - left;
		if (changes % 2 == 0 && AO_load(&mine->changes) == changes)
			return true;
	}
	return false;
}

void capabilities_after_fork(void)
{
	/* C may fork while another OS thread holds the lock. A new capability is published by one store. */
	pthread_mutex_init(&lock, NULL);
	for (size_t i = 0; i < capabilities_len(); i++) {
		AO_store(&made[i]->aborts, 0);
		made[i]->gap = (struct ghc_gap){.since_ns = 0};
		made[i]->is_restarting = false;
		sampling_after_fork(made[i]); /* hook_start() attaches it again */
	}
}

/* ---- gaps between clock readings: how long failed attempts took that were not measured (struct ghc_gap) ---- */

/* How long the failed attempt took that ends the gap: the length of the gap, less the mean time of a commit for each of
 * its commits. Below 0 if these were shorter. */
static int64_t failed_attempt_ns(const struct ghc_capability *mine, uint64_t length_ns)
{
	const struct ghc_gap *gap = &mine->gap;
	double commits = (double)(capability_commits(mine) - gap->commits);
	double each_ns = gap->clean_commits != 0 ? (double)gap->clean_ns / (double)gap->clean_commits : 0;
	return (int64_t)length_ns - (int64_t)(commits * each_ns);
}

/* Publishes the time of all failed attempts. In gaps of unknown length they count as much as in known ones on average.
 */
static void publish_failed(struct ghc_gap *gap)
{
	double known_ns = gap->known_ns > 0 ? (double)gap->known_ns : 0;
	double all = (double)(gap->known + gap->unknown);
	AO_store(&gap->failed_ns, gap->known != 0 ? (AO_t)(known_ns * all / (double)gap->known) : 0);
}

/* Where the time off the processor in the gap counts. It is mostly the time of the attempt that fails: the attempt
 * fails because others have committed meanwhile. NULL: nowhere, because the beginning of the gap is not known, or
 * because a preempted attempt has the lane. */
static struct stmlog_thread *gap_log(const struct ghc_capability *mine)
{
	const struct ghc_lane *lane = mine->lanes[0];
	bool is_free = lane != NULL && lane->is_claimed && !AO_load(&lane->is_in_use);
	return mine->gap.since_ns != 0 && is_free ? lane->log : NULL;
}

void gap_count_failed(struct ghc_capability *mine)
{
	struct ghc_gap *gap = &mine->gap;
	uint64_t length_ns, now_ns = gap_measure(gap, gap_log(mine), &length_ns);
	capability_count(&mine->aborts);
	if (gap->since_ns != 0) {
		gap->known++;
		gap->known_ns += failed_attempt_ns(mine, length_ns);
	} else {
		gap->unknown++;
	}
	publish_failed(gap);
	gap_begin(mine, now_ns);
}

/* ---- Haskell threads that stop in an attempt ---- */

void gap_stop(struct ghc_capability *mine, const struct hs_tso *tso)
{
	struct ghc_gap *gap = &mine->gap;
	gap->stopped = tso;
	if (tso == NULL || gap->since_ns == 0)
		return;
	uint64_t length_ns;
	gap->stopped_ns = gap_measure(gap, gap_log(mine), &length_ns);
	gap->since_ns = gap->stopped_ns - length_ns;
}

void gap_run(struct ghc_capability *mine, const struct hs_tso *tso, bool is_in_attempt)
{
	struct ghc_gap *gap = &mine->gap;
	if (gap->stopped != tso)
		gap->since_ns = 0;
	gap->stopped = NULL;
	if (!is_in_attempt)
		return;
	(void)stmlog_off_processor_ns(NULL); /* the OS thread may have slept: that is not the attempt's */
	if (gap->since_ns != 0)
		gap->since_ns += stmlog_now_ns() - gap->stopped_ns;
}

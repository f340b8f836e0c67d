/* SPDX-License-Identifier: MIT
 * Verifies equations between sums that the library kept apart while the program ran. If a timelog could not be read, or
 * threads have no record of their own, some sums lack their part, and the equations become inequalities. */
#include "verify.h"

#include <float.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include <stmlog/read.h>
#include <stmlog/timeline.h>

#include "recorded_account.h"
#include "work.h"

/* Adds to a sum of `what`. The report adds up such numbers as well, so a sum that 64 bits cannot hold is a fault of the
 * recording. */
static void add_up(struct verifier *verifier, const char *what, uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		verify_report(verifier, "the sum of %s is above 2^64", what);
}

/* ---- threads ---- */

static void verify_thread_sums(struct verifier *verifier)
{
	const struct recording *recording = verifier->recording;
	uint64_t attached_ns = 0, commits = 0, aborts = 0;
	for (size_t i = 0; i < recording->thread_count; i++) {
		const struct stmlog_thread_record *thread = &recording->threads[i];
		add_up(verifier, "attached times", &attached_ns, thread->attached_ns);
		add_up(verifier, "commits", &commits, thread->commits);
		add_up(verifier, "commits", &commits, thread->unmeasured_commits);
		add_up(verifier, "aborts", &aborts, thread->unmeasured_aborts);
		for (uint32_t k = 0; k < STMLOG_CONTENTIONS; k++)
			add_up(verifier, "aborts", &aborts, account_aborts(thread, k).count);
	}
}

static void verify_threads(struct verifier *verifier)
{
	const struct recording *recording = verifier->recording;
	verify_thread_sums(verifier);
	for (size_t i = 0; i < recording->thread_count; i++) {
		struct recorded_account account = account_of(recording, &recording->threads[i]);
		int64_t residual = account_residual(&account);
		if (residual != 0)
			verify_report(verifier,
				"thread %" PRIu32 ": its accounts miss its attached time by %" PRId64 " ns",
				recording->threads[i].id, residual);
		if (i > 0 && recording->threads[i].id <= recording->threads[i - 1].id)
			verify_report(verifier, "thread %" PRIu32 " stands behind thread %" PRIu32,
				recording->threads[i].id, recording->threads[i - 1].id);
	}
}

static bool is_thread(const struct recording *recording, uint32_t id)
{
	return recording_thread(recording, id) != NULL;
}

/* ---- entries ---- */

static void verify_objects(struct verifier *verifier, size_t i, const struct stmlog_entry_record *entry)
{
	uint64_t count = 0;
	for (size_t k = 0; k < sizeof entry->objects / sizeof entry->objects[0]; k++) {
		if (entry->objects[k].address == 0 && entry->objects[k].count != 0)
			verify_report(verifier, "entry %zu: counts an object that has no address", i);
		count += entry->objects[k].count;
	}
	if (count > entry->count)
		verify_report(verifier, "entry %zu: %" PRIu64 " objects in %" PRIu64 " losses", i, count, entry->count);
}

static void verify_figures(struct verifier *verifier, size_t i, const struct stmlog_entry_record *entry)
{
#define STMLOG_FIGURE(name, MERGE, WHOLE, JSON, doc) \
	if (entry->name > entry->WHOLE)              \
		verify_report(verifier, "entry %zu: %s is above %s", i, #name, #WHOLE);
#include <stmlog/figures.def>
}

static void verify_entry_names(struct verifier *verifier, size_t i, const struct stmlog_entry_record *entry)
{
	const struct recording *recording = verifier->recording;
	bool has_all_threads = recording->info.threads_dropped == 0 && !is_thread(recording, 0);
	if (entry->reason >= STMLOG_REASONS || entry->contention >= STMLOG_CONTENTIONS || entry->grade >= STMLOG_GRADES)
		verify_report(verifier, "entry %zu: a cause or grade that this stmlog does not know", i);
	if (has_all_threads && entry->local_thread != 0 && !is_thread(recording, entry->local_thread))
		verify_report(verifier, "entry %zu: there is no thread %" PRIu32, i, entry->local_thread);
	if (has_all_threads && entry->remote_thread != 0 && !is_thread(recording, entry->remote_thread))
		verify_report(verifier, "entry %zu: there is no thread %" PRIu32, i, entry->remote_thread);
}

static void verify_entry(struct verifier *verifier, size_t i)
{
	const struct stmlog_entry_record *entry = &verifier->recording->entries[i];
	const struct {
		bool holds;
		const char *claim;
	} claims[] = {
		{entry->count >= 1, "counts nothing"},
		{entry->first_ns <= entry->last_ns, "its first loss is later than its last"},
		{entry->wasted > entry->count || entry->undecided <= entry->count - entry->wasted,
			"has more wasted and undecided losses than losses"},
		{i == 0 || entry->lost_ns <= entry[-1].lost_ns, "lost more than the one before it"},
	};
	for (size_t k = 0; k < sizeof claims / sizeof claims[0]; k++) {
		if (!claims[k].holds)
			verify_report(verifier, "entry %zu: %s", i, claims[k].claim);
	}
	verify_figures(verifier, i, entry);
	verify_objects(verifier, i, entry);
	verify_entry_names(verifier, i, entry);
}

/* `all` must be the sum of the entries, `kept`, and at most `evicted` more. */
static void verify_bounds(struct verifier *verifier, const char *name, uint64_t all, uint64_t kept, uint64_t evicted)
{
	if (all < kept || all - kept > evicted)
		verify_report(verifier,
			"%s: the sum is %" PRIu64 ", the entries have %" PRIu64 ", at most %" PRIu64 " evicted", name,
			all, kept, evicted);
}

static void verify_wasted(struct verifier *verifier)
{
	const struct recording *recording = verifier->recording;
	const struct recording_info *info = &recording->info;
	uint64_t wasted = 0, wasted_ns = 0, undecided = 0;
	for (size_t i = 0; i < recording->entry_count; i++) {
		wasted += recording->entries[i].wasted;
		wasted_ns += recording->entries[i].wasted_ns;
		undecided += recording->entries[i].undecided;
	}
	verify_bounds(verifier, "losses for nothing", info->wasted_aborts, wasted, recording->evicted_count);
	verify_bounds(verifier, "ns lost for nothing", info->wasted_ns, wasted_ns, recording->evicted_lost_ns);
	verify_bounds(verifier, "undecided losses", info->undecided_aborts, undecided, recording->evicted_count);
}

/* Equal but for rounding, as sums of the same numbers in different orders are; and finite. */
static bool is_about(double a, double b)
{
	return a <= DBL_MAX && b <= DBL_MAX && a - b <= 1e-9 * (a + b) && b - a <= 1e-9 * (a + b);
}

/* Whether a is at most b, but for rounding. */
static bool is_at_max(double a, double b)
{
	return a <= b * (1 + 1e-9);
}

static void verify_cost(struct verifier *verifier, const char *what, size_t i, uint64_t lost_ns, double estimated_ns,
	double variance_ns2)
{
	bool is_sampled = recording_is_sampled(verifier->recording);
	if (!is_at_max((double)lost_ns, estimated_ns) || !verify_is_variance(verifier, variance_ns2))
		verify_report(verifier,
			"%s %zu: its estimate is below what was measured, or its variance is below 0 or no number",
			what, i);
	else if (!is_sampled && (!is_at_max(estimated_ns, (double)lost_ns) || variance_ns2 > 0))
		verify_report(verifier, "%s %zu: its estimate is not what was measured, though all was", what, i);
}

static void verify_estimates(
	struct verifier *verifier, const struct recording_sum *kept, const struct recording_sum *total)
{
	const struct recording *recording = verifier->recording;
	double variance_ns2 = 0, error_ns = (double)recording->info.lost_error_ns + 1; /* it was rounded */
	bool is_bound = recording->info.lost_error_ns < INT64_MAX; /* a merge writes no larger one */
	size_t before = verifier->violations;
	for (size_t i = 0; i <= recording->total_count; i++) { /* the last one is of what was evicted */
		const struct stmlog_total_record *cause = &recording->totals[i];
		verify_cost(verifier, "total", i, cause->lost_ns, cause->estimated_ns, cause->variance_ns2);
		if (i == recording->total_count)
			continue;
		variance_ns2 += cause->variance_ns2;
		if (cause->reason >= STMLOG_REASONS || cause->contention >= STMLOG_CONTENTIONS)
			verify_report(verifier, "total %zu: a cause that this stmlog does not know", i);
	}
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		verify_cost(verifier, "entry", i, entry->lost_ns, entry->estimated_ns, entry->variance_ns2);
	}
	if (!is_about(kept->estimated_ns, total->estimated_ns))
		verify_report(verifier, "entries and evicted are estimated at %.0f ns, the totals at %.0f ns",
			kept->estimated_ns, total->estimated_ns);
	if (verifier->violations > before)
		return; /* the sums below would be wrong for the same reason */
	if (!is_at_max(kept->variance_ns2, variance_ns2) || (is_bound && !is_at_max(variance_ns2, error_ns * error_ns)))
		verify_report(
			verifier, "the variances of entries are above those of causes, or these above that of all");
}

static void verify_entries(struct verifier *verifier)
{
	const struct recording *recording = verifier->recording;
	struct recording_sum kept = {recording->evicted_count, recording->evicted_lost_ns,
		recording->evicted_estimated_ns, recording->evicted_variance_ns2};
	struct recording_sum total = recording_total(recording);
	for (size_t i = 0; i < recording->entry_count; i++) {
		verify_entry(verifier, i);
		add_up(verifier, "losses", &kept.count, recording->entries[i].count);
		add_up(verifier, "lost times", &kept.lost_ns, recording->entries[i].lost_ns);
		kept.estimated_ns += recording->entries[i].estimated_ns;
		kept.variance_ns2 += recording->entries[i].variance_ns2;
	}
	if (recording->info.killed_within > 0)
		return;
	if (kept.count != total.count)
		verify_report(verifier, "entries and evicted count %" PRIu64 ", the totals %" PRIu64, kept.count,
			total.count);
	if (kept.lost_ns != total.lost_ns)
		verify_report(verifier, "entries and evicted lost %" PRIu64 " ns, the totals %" PRIu64 " ns",
			kept.lost_ns, total.lost_ns);
	verify_estimates(verifier, &kept, &total);
}

/* ---- totals by cause against the accounts of the threads ---- */

static struct recording_sum total_of(const struct recording *recording, bool (*is_of)(uint32_t), uint32_t contention)
{
	struct recording_sum sum = {.count = 0};
	for (size_t i = 0; i < recording->total_count; i++) {
		const struct stmlog_total_record *total = &recording->totals[i];
		if (!is_of(total->reason) || (contention != UINT32_MAX && total->contention != contention))
			continue;
		sum.count += total->count;
		sum.lost_ns += total->lost_ns;
		sum.estimated_ns += total->estimated_ns;
	}
	return sum;
}

static void verify_sum(
	struct verifier *verifier, const char *what, struct recording_sum total, struct recording_sum account)
{
	bool may_miss = verifier->recording->info.logs_unread > 0;
	if (total.count != account.count && !(may_miss && total.count < account.count))
		verify_report(verifier, "%s: the totals count %" PRIu64 ", the threads %" PRIu64, what, total.count,
			account.count);
	if (total.lost_ns != account.lost_ns && !(may_miss && total.lost_ns < account.lost_ns))
		verify_report(verifier, "%s: the totals lost %" PRIu64 " ns, the threads %" PRIu64 " ns", what,
			total.lost_ns, account.lost_ns);
	if (!recording_is_sampled(verifier->recording) && !is_about(total.estimated_ns, account.estimated_ns) &&
		!(may_miss && total.estimated_ns < account.estimated_ns))
		verify_report(verifier, "%s: the totals are estimated at %.0f ns, the threads at %.0f ns", what,
			total.estimated_ns, account.estimated_ns);
}

/* In a sampled recording, part of a row's time may belong to no cause, because its losses were only timed, or were not
 * found. So the totals may be below the row. They may be above it by the rounding of each thread's estimate. */
static void verify_row(struct verifier *verifier, const char *what, double total_ns, double account_ns)
{
	if (total_ns > account_ns * (1 + 1e-9) + (double)verifier->recording->thread_count * STMLOG_CONTENTIONS)
		verify_report(verifier, "%s: the totals are estimated at %.0f ns, above the threads' %.0f ns", what,
			total_ns, account_ns);
}

static bool is_pause(uint32_t reason)
{
	return reason == STMLOG_PAUSE;
}

static bool is_wait(uint32_t reason)
{
	return reason == STMLOG_WAIT;
}

static void verify_causes(struct verifier *verifier)
{
	const struct recording *recording = verifier->recording;
	struct recording_sum aborted[STMLOG_CONTENTIONS] = {{.count = 0}}, paused = {.count = 0}, waited = {.count = 0};
	if (recording->info.killed_within > 0)
		return;
	for (size_t i = 0; i < recording->thread_count; i++) {
		const struct stmlog_thread_record *thread = &recording->threads[i];
		for (uint32_t k = 0; k < STMLOG_CONTENTIONS; k++) {
			struct account_aborts aborts = account_aborts(thread, k);
			aborted[k].count += aborts.count;
			aborted[k].lost_ns += aborts.lost_ns;
			aborted[k].estimated_ns += (double)aborts.estimated_ns;
		}
		paused.count += thread->pauses;
		paused.lost_ns += thread->paused_ns;
		paused.estimated_ns += (double)thread->estimated_paused_ns;
		waited.count += thread->waits_inevitable;
		waited.lost_ns += thread->waiting_inevitable_ns;
		waited.estimated_ns += (double)thread->estimated_waiting_inevitable_ns;
	}
	struct recording_sum pauses = total_of(recording, is_pause, UINT32_MAX);
	struct recording_sum waits = total_of(recording, is_wait, STMLOG_INEVITABLE);
	double aborted_ns = 0;
	for (uint32_t k = 0; k < STMLOG_CONTENTIONS; k++) {
		char what[64];
		snprintf(what, sizeof what, "aborts, %s", stmlog_contention_name(k));
		verify_sum(verifier, what, total_of(recording, cause_is_abort, k), aborted[k]);
		aborted_ns += aborted[k].estimated_ns;
	}
	verify_sum(verifier, "pauses", pauses, paused);
	verify_sum(verifier, "waits, inevitable", waits, waited);
	if (!recording_is_sampled(recording) || recording->info.logs_unread > 0)
		return;
	verify_row(verifier, "aborts", total_of(recording, cause_is_abort, UINT32_MAX).estimated_ns, aborted_ns);
	verify_row(verifier, "pauses", pauses.estimated_ns, paused.estimated_ns);
	verify_row(verifier, "waits, inevitable", waits.estimated_ns, waited.estimated_ns);
}

/* ---- the timeline ---- */

static void verify_timeline(struct verifier *verifier)
{
	struct work work;
	if (!work_build(&work, verifier->recording))
		verify_report(verifier, "%s", work_fault(&work, verifier->recording).text);
	work_fini(&work);
}

static void verify_missing(struct verifier *verifier)
{
	const struct recording *recording = verifier->recording;
	uint64_t missing = 0;
	for (size_t i = 0; i < recording->event_count; i++)
		if (recording->events[i].kind == STMLOG_EVENT_MISSING)
			missing += recording->events[i].argument;
	if (recording->has_timeline && missing != recording->info.events_missing)
		verify_report(verifier, "missing events: the sum is %" PRIu64 ", the timeline has %" PRIu64,
			recording->info.events_missing, missing);
}

size_t verify_recording(const struct recording *recording, verify_violation *on_violation, void *arg)
{
	struct verifier verifier = {recording, on_violation, arg, 0};
	verify_threads(&verifier);
	verify_entries(&verifier);
	verify_wasted(&verifier);
	verify_causes(&verifier);
	verify_timeline(&verifier);
	verify_missing(&verifier);
	verify_rows(&verifier);
	verify_spent(&verifier);
	return verifier.violations;
}

/* SPDX-License-Identifier: MIT
 * Rules about the run as a whole. */
#include <string.h>

#include <stmlog/read.h>

#include "recorded_account.h"
#include "findings_search.h"
#include "number.h"
#include "report_memory.h"

/* ---- descheduled-holder ---- */

/* A wait is for a thread off the processor if it takes HOLDER_MIN_NS on average, and HOLDER_MIN_TIMES as long as the
 * mean transaction. The threads must spend HOLDER_MIN_PERCENT of their time off the processor. A thread counts if it
 * spends HOLDER_MIN_WITHIN percent of its time in transactions. */
enum { HOLDER_MIN_NS = 1000000, HOLDER_MIN_TIMES = 20, HOLDER_MIN_PERCENT = 10, HOLDER_MIN_WITHIN = 1 };

/* Excludes threads that prepare the data and then wait until the others end: they leave their processor to the others.
 */
static bool has_transactions(const struct recording *recording, const struct stmlog_thread_record *thread)
{
	struct recorded_account account = account_estimate(recording, thread);
	uint64_t within_ns = account.attached_ns - account.outside_ns;
	return thread->id != 0 && (thread->flags & STMLOG_THREAD_SPARE) == 0 && account.commits != 0 &&
	       (double)within_ns * 100 >= (double)account.attached_ns * HOLDER_MIN_WITHIN;
}

/* How many threads want processors for their transactions. */
static uint64_t busy_threads(const struct recording *recording)
{
	uint64_t count = 0;
	for (size_t i = 0; i < recording->thread_count; i++)
		count += has_transactions(recording, &recording->threads[i]);
	return count;
}

static bool may_lack_processors(const struct findings_search *search, const struct recorded_account *account)
{
	const struct recording_info *info = &search->recording->info;
	return info->processors != 0 && info->descheduled_known != 0 &&
	       busy_threads(search->recording) > info->processors &&
	       (double)account->descheduled_ns * 100 >= (double)account->attached_ns * HOLDER_MIN_PERCENT;
}

static bool is_long_wait(const struct stmlog_entry_record *entry, double mean_ns)
{
	bool is_wait = entry->reason == STMLOG_PAUSE || entry->reason == STMLOG_WAIT;
	double each_ns = entry->count != 0 ? (double)entry->lost_ns / (double)entry->count : 0;
	return is_wait && each_ns >= HOLDER_MIN_NS && each_ns >= mean_ns * HOLDER_MIN_TIMES;
}

/* The part of the entry's losses that are waits for a thread off the processor. Of waits at the commit, it is the part
 * in which the other thread was off the processor. In other waits the waiting thread may sleep, so their part is not
 * known, and all of them counts. */
static double holder_part(const struct findings_search *search, size_t i, double mean_ns)
{
	const struct stmlog_entry_record *entry = &search->recording->entries[i];
	bool is_commit_wait = findings_has_detail(search, entry, "COMMIT_WAIT");
	double rest = search->rest[i].all, off = is_commit_wait ? findings_off_processor(search, entry) : 1;
	return !is_long_wait(entry, mean_ns) ? 0 : off < rest ? off : rest;
}

void findings_descheduled_holder(struct findings_search *search)
{
	const struct recording *recording = search->recording;
	struct recorded_account account = account_estimate_total(recording);
	double mean_ns = account.commits != 0 ? (double)account.committed_ns / (double)account.commits : 0;
	struct tally_sum sum = {.count = 0};
	const struct stmlog_entry_record *first = NULL;
	if (!may_lack_processors(search, &account))
		return;
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		struct tally_sum whole = tally_sum_of(entry);
		struct tally_sum more = findings_part(&whole, holder_part(search, i, mean_ns));
		if (more.count == 0)
			continue;
		tally_sum_add(&sum, &more);
		first = first == NULL ? entry : first;
	}
	if (first == NULL || !findings_is_enough(search, FINDING_DESCHEDULED_HOLDER, &sum))
		return;
	uint64_t processors = recording->info.processors;
	char *because = memory_format("%s threads on %s processor%s", number_count(busy_threads(recording)).text,
		number_count(processors).text, processors == 1 ? "" : "s");
	struct finding *finding = findings_add(
		search, FINDING_DESCHEDULED_HOLDER, &sum, findings_frame_text(search, first->local, 0), because);
	finding->where = first->local;
	finding->because = first->remote;
	for (size_t i = 0; i < recording->entry_count; i++)
		findings_claim_true(search, i, holder_part(search, i, mean_ns));
}

/* ---- little-lost ---- */

/* The time of waits and transactions under way, which are no loss yet. The account has it in its row `open`. The list
 * of open waits may have more of it: waits that the account books only when they end. */
static uint64_t open_ns(const struct recording *recording)
{
	uint64_t account_ns = account_total(recording).open_ns, listed_ns = 0;
	for (size_t i = 0; i < recording->open_count; i++)
		listed_ns += recording->open[i].open_ns;
	return account_ns > listed_ns ? account_ns : listed_ns;
}

/* Most of the cost of a herd is not in the lost time. */
static bool has_herd(const struct findings_search *search)
{
	for (size_t i = 0; i < search->found.len; i++)
		if (search->found.at[i].rule == FINDING_HERD)
			return true;
	return false;
}

/* The upper end of the lost time includes a share for each abort that was counted and not measured (account_rows.c). If
 * some time is not explained by any measured loss, there is no finding: the screen has a line about that time, which
 * says how to find out more. */
void findings_little_lost(struct findings_search *search)
{
	const struct recording *recording = search->recording;
	unsigned percent = finding_rule_row(FINDING_LITTLE_LOST)->percent;
	double max_ns = (double)search->total.high_ns + (double)open_ns(recording);
	if (has_herd(search) || search->running_ns == 0 || max_ns * 100 >= (double)search->running_ns * percent)
		return;
	if (account_has_unexplained(recording))
		return;
	struct number tenths = findings_share_of_time(search, search->total.ns);
	char *share = memory_format("%s of the threads' time", tenths.text);
	struct tally_sum sum = {.count = recording_total(recording).count};
	struct finding *finding = findings_add(search, FINDING_LITTLE_LOST, &sum, share, memory_text(""));
	findings_set_estimate(search, finding, &search->total);
}

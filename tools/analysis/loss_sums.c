/* SPDX-License-Identifier: MIT
 * Sums by site group the entries twice, since a site's row counts its different culprits. Sums by thread have what the
 * thread has lost from its account, and what others have lost because of it from the entries. */
#include "loss_sums.h"

#include <stdlib.h>

#include <stmlog/read.h>

#include "memory.h"
#include "recorded_account.h"
#include "sort.h"

/* ---- by site ---- */

/* One row for each pair of a place and a culprit. */
static struct tally by_site_and_culprit(const struct recording *recording, struct places *places)
{
	struct tally tally = tally_make(recording, recording->entry_count);
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		struct tally_sum sum = tally_sum_of(entry);
		tally_add(
			&tally, places_innermost(places, entry->local), places_innermost(places, entry->remote), &sum);
	}
	tally_group(&tally, TALLY_LOST);
	return tally;
}

struct tally loss_sums_by_site(const struct recording *recording, struct places *places, enum tally_sort sort)
{
	struct tally culprits = by_site_and_culprit(recording, places);
	struct tally sites = tally_make(recording, culprits.len + 1);
	for (size_t i = 0; i < culprits.len; i++) {
		const struct tally_row *row = culprits.rows[i];
		tally_add(&sites, row->key[0], 0, &row->sum);
		sites.rows[i]->parts = row->key[1] >= PLACE_FIRST;
	}
	struct tally_sum evicted = tally_sum_of_evicted(recording);
	if (evicted.count > 0)
		tally_add(&sites, LOSS_SUMS_EVICTED, 0, &evicted);
	tally_group(&sites, sort);
	tally_drop(&culprits);
	return sites;
}

/* ---- by thread ---- */

/* The intervals of the rows are added, as if the rows erred in the same direction. */
static struct estimate lost_by(const struct recording *recording, const struct stmlog_thread_record *thread)
{
	struct account_rows rows = account_rows(recording, thread);
	const struct estimate parts[] = {
		rows.at[STMLOG_ACCOUNT_ABORTED], rows.at[STMLOG_ACCOUNT_PAUSED], rows.at[STMLOG_ACCOUNT_WAITING]};
	struct estimate sum = {.is_exact = !recording_is_sampled(recording)};
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		sum.ns += parts[i].ns;
		sum.low_ns += parts[i].low_ns;
		sum.high_ns += parts[i].high_ns;
		sum.measured_ns += parts[i].measured_ns;
	}
	if (sum.high_ns > thread->attached_ns && sum.ns <= thread->attached_ns)
		sum.high_ns = thread->attached_ns;
	return sum;
}

static struct loss_sums_thread loss_of(const struct recording *recording, const struct stmlog_thread_record *thread)
{
	struct loss_sums_thread row = {.thread = thread, .lost = lost_by(recording, thread)};
	struct account_aborts aborts = account_all_aborts(thread);
	row.sum.count = thread->pauses + thread->waits_inevitable + aborts.count;
	row.sum.lost_ns = row.lost.measured_ns;
	row.sum.descheduled_ns = thread->descheduled_ns;
	return row;
}

/* The row of a thread, in the order of the recording's threads; NULL: there is none. */
static struct loss_sums_thread *find(const struct recording *recording, struct loss_sums_thread *rows, uint32_t id)
{
	const struct stmlog_thread_record *thread = id != 0 ? recording_thread(recording, id) : NULL;
	return thread != NULL ? &rows[thread - recording->threads] : NULL;
}

static void add_to_victim(struct loss_sums_thread *row, const struct stmlog_entry_record *entry, struct places *places)
{
	if (entry->longest_ns > row->sum.longest_ns)
		row->sum.longest_ns = entry->longest_ns;
	if (entry->lost_ns > row->place_ns) {
		row->place_ns = entry->lost_ns;
		row->place = places_innermost(places, entry->local);
	}
}

static void add_to_culprit(struct loss_sums_thread *row, const struct stmlog_entry_record *entry)
{
	row->led_count += entry->count;
	row->led_ns += entry->lost_ns;
	row->led_min_ns += entry->longest_ns;
}

static int by_sort(const struct loss_sums_thread *left, const struct loss_sums_thread *right, enum tally_sort sort)
{
	if (sort == TALLY_COUNT)
		return sort_numbers(right->sum.count, left->sum.count);
	if (sort == TALLY_LONGEST)
		return sort_numbers(right->sum.longest_ns, left->sum.longest_ns);
	int lows = sort_numbers(right->lost.low_ns, left->lost.low_ns);
	return lows != 0 ? lows : sort_numbers(right->lost.ns, left->lost.ns);
}

static int by_measure(const void *a, const void *b, void *arg)
{
	const struct loss_sums_thread *left = a, *right = b;
	int measures = by_sort(left, right, *(const enum tally_sort *)arg);
	return measures != 0 ? measures : sort_numbers(left->thread->id, right->thread->id);
}

struct loss_sums_thread *loss_sums_by_thread(
	const struct recording *recording, struct places *places, enum tally_sort sort)
{
	size_t count = recording->thread_count;
	struct loss_sums_thread *rows = memory_zeroed(count, sizeof *rows);
	for (size_t i = 0; i < count; i++)
		rows[i] = loss_of(recording, &recording->threads[i]);
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		struct loss_sums_thread *victim = find(recording, rows, entry->local_thread);
		struct loss_sums_thread *culprit = find(recording, rows, entry->remote_thread);
		if (victim != NULL)
			add_to_victim(victim, entry, places);
		if (culprit != NULL && culprit != victim)
			add_to_culprit(culprit, entry);
	}
	/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): memory_zeroed() returns no NULL */
	qsort_r(rows, count, sizeof *rows, by_measure, &sort);
	return rows;
}

/* ---- by name ---- */

struct named_sums named_sums_make(const struct recording *recording, size_t max)
{
	return (struct named_sums){
		.tally = tally_make(recording, max),
		.names = memory_zeroed(max + 1, sizeof(const char *)),
	};
}

void named_sums_fini(struct named_sums *sums)
{
	tally_drop(&sums->tally);
	dictionary_fini(&sums->dictionary);
	free(sums->names);
	*sums = (struct named_sums){.names = NULL};
}

void named_sums_add(struct named_sums *sums, int kind, const char *name, const struct tally_sum *sum)
{
	uint64_t number = 0;
	if (sums->tally.len == sums->tally.cap)
		return;
	if (kind == NAMED_SUM) {
		const struct dictionary_entry *entry = dictionary_find(&sums->dictionary, name);
		number = entry->number;
		sums->names[number] = entry->text;
	}
	tally_add(&sums->tally, (uint64_t)kind, number, sum);
}

const char *named_sums_name(const struct named_sums *sums, const struct tally_row *row)
{
	static const char *const fixed[] = {NULL, "unknown", "(evicted)"};
	return row->key[0] == NAMED_SUM ? sums->names[row->key[1]] : fixed[row->key[0]];
}

/* SPDX-License-Identifier: MIT
 * Losses added up by the place or the thread that lost, by name, or by object.
 *
 * Sums by site group the entries twice, since a site's row counts its different culprits. Sums by thread have what
 * the thread has lost from its account, and what others have lost because of it from the entries. */
#include "loss_sums.h"

#include <stdlib.h>

#include <stmlog/read.h>

#include "check.h"
#include "memory.h"
#include "recorded_account.h"
#include "report.h"
#include "sort.h"

enum { OBJECTS = sizeof((struct stmlog_entry_record *)NULL)->objects / sizeof(uint64_t[2]) };

/* An entry's sums, and how much of them its objects have got so far. Invariant: handed_out <= whole, in each member. */
struct division {
	struct tally_sum whole;
	struct tally_sum handed_out;
};

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
static struct loss_sums_thread *loss_sums_find(
	const struct recording *recording, struct loss_sums_thread *rows, uint32_t id)
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
		struct loss_sums_thread *victim = loss_sums_find(recording, rows, entry->local_thread);
		struct loss_sums_thread *culprit = loss_sums_find(recording, rows, entry->remote_thread);
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

/* ---- by object ---- */

static uint64_t part_of(uint64_t value, uint64_t part, uint64_t whole)
{
	return (uint64_t)((unsigned __int128)value * part / whole);
}

/* Returns the part that the next `count` losses have of the whole, and hands it out. Each sum in integers is the
 * difference of two sums from the beginning, each rounded, so that all parts add up to the whole. Requires that `count`
 * is at least 1, and that at least `count` losses are not handed out yet. */
static struct tally_sum next_part(struct division *division, uint64_t count)
{
	const struct tally_sum *whole = &division->whole;
	REQUIRES(count > 0 && count <= whole->count - division->handed_out.count);
	uint64_t until = division->handed_out.count + count;
	double share = (double)count / (double)whole->count;
	struct tally_sum cut = {
		.count = until,
		.lost_ns = part_of(whole->lost_ns, until, whole->count),
		.wasted = part_of(whole->wasted, until, whole->count),
		.wasted_ns = part_of(whole->wasted_ns, until, whole->count),
		.descheduled_ns = part_of(whole->descheduled_ns, until, whole->count),
	};
	struct tally_sum part = {
		.count = count,
		.lost_ns = cut.lost_ns - division->handed_out.lost_ns,
		.longest_ns = whole->longest_ns,
		.wasted = cut.wasted - division->handed_out.wasted,
		.wasted_ns = cut.wasted_ns - division->handed_out.wasted_ns,
		.descheduled_ns = cut.descheduled_ns - division->handed_out.descheduled_ns,
		.rows = whole->rows,
		.surplus_ns = whole->surplus_ns * share,
		.variance_ns2 = whole->variance_ns2 * share,
	};
	division->handed_out = cut;
	return part;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Counts the losses of each slot (one of the entry's few objects), in all no more than the entry has. Returns the
 * number of losses without a slot. */
static uint64_t count_slots(const struct stmlog_entry_record *entry, uint64_t counts[OBJECTS])
{
	uint64_t left = entry->count;
	for (size_t i = 0; i < OBJECTS; i++) {
		counts[i] = entry->objects[i].address != 0 ? smaller(entry->objects[i].count, left) : 0;
		left -= counts[i];
	}
	return left;
}

/* Counts the false conflicts of each slot. The entry has only their sum, which is divided in this order: slots whose
 * other transaction touched another object, then the `rest` losses without a slot, then the other slots. Returns the
 * number for the losses without a slot. */
static uint64_t count_false(const struct stmlog_entry_record *entry, const uint64_t counts[OBJECTS], uint64_t rest,
	uint64_t falses[OBJECTS])
{
	uint64_t left = smaller(entry->false_conflicts, entry->count);
	for (size_t i = 0; i < OBJECTS; i++) {
		falses[i] = entry->object_others[i] != 0 ? smaller(counts[i], left) : 0;
		left -= falses[i];
	}
	uint64_t of_rest = smaller(rest, left);
	left -= of_rest;
	for (size_t i = 0; i < OBJECTS; i++) {
		uint64_t more = smaller(counts[i] - falses[i], left);
		falses[i] += more;
		left -= more;
	}
	return of_rest;
}

/* Adds the `count` losses without a slot under NAMED_SUM_UNKNOWN, or all sums of an entry that counts no losses. */
static void add_rest(struct named_sums *sums, struct division *division, uint64_t count, uint64_t false_conflicts)
{
	struct tally_sum rest = division->whole;
	if (count == 0 && rest.count != 0)
		return;
	if (count > 0)
		rest = next_part(division, count);
	rest.false_conflicts = false_conflicts;
	named_sums_add(sums, NAMED_SUM_UNKNOWN, NULL, &rest);
}

static void add_entry(const struct report *report, struct named_sums *sums, const struct stmlog_entry_record *entry)
{
	struct division division = {.whole = tally_sum_of(entry)};
	uint64_t counts[OBJECTS], falses[OBJECTS];
	uint64_t left = count_slots(entry, counts);
	uint64_t false_left = count_false(entry, counts, left, falses);
	for (size_t i = 0; i < OBJECTS; i++) {
		if (counts[i] == 0)
			continue;
		struct tally_sum sum = next_part(&division, counts[i]);
		sum.false_conflicts = falses[i];
		char *name = report_object_group(report, entry, entry->objects[i].address);
		named_sums_add(sums, NAMED_SUM, name, &sum);
		free(name);
	}
	add_rest(sums, &division, left, false_left);
}

struct named_sums object_sums(const struct report *report)
{
	const struct recording *recording = report->recording;
	struct named_sums sums = named_sums_make(recording, (OBJECTS + 1) * recording->entry_count + 1);
	for (size_t i = 0; i < recording->entry_count; i++)
		add_entry(report, &sums, &recording->entries[i]);
	struct tally_sum evicted = tally_sum_of_evicted(recording);
	if (evicted.count > 0)
		named_sums_add(&sums, NAMED_SUM_EVICTED, NULL, &evicted);
	tally_group(&sums.tally, report->options.sort);
	return sums;
}

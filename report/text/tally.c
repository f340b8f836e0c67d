/* SPDX-License-Identifier: MIT
 * Groups rows by sorting: rows with the same key become neighbours and are merged. Entries are grouped by the places of
 * the victim and of the culprit, and then these pairs by culprit. */
#include "tally.h"

#include <stmlog/read.h>

#include "report_memory.h"
#include "sort.h"

struct tally tally_make(const struct recording *recording, size_t max)
{
	return (struct tally){
		.recording = recording,
		.added = memory_zeroed(max, sizeof(struct tally_row)),
		.rows = memory_zeroed(max, sizeof(struct tally_row *)),
		.cap = max,
	};
}

void tally_drop(struct tally *tally)
{
	memory_free(tally->added);
	memory_free(tally->rows);
	*tally = (struct tally){.rows = NULL};
}

void tally_add(struct tally *tally, uint64_t key0, uint64_t key1, const struct tally_sum *sum)
{
	if (tally->len == tally->cap)
		return;
	struct tally_row *row = &tally->added[tally->len];
	*row = (struct tally_row){.key = {key0, key1}, .sum = *sum, .parts = 1, .first = tally->len};
	tally->rows[tally->len++] = row;
}

static int tally_compare_keys(const struct tally_row *left, const struct tally_row *right)
{
	int by_first = sort_numbers(left->key[0], right->key[0]);
	return by_first != 0 ? by_first : sort_numbers(left->key[1], right->key[1]);
}

/* Sorts by key. Rows with the same key stay in the order in which they were added. */
static uint64_t key_number(const void *row, unsigned rank, const void *arg)
{
	(void)arg;
	return (*(const struct tally_row *const *)row)->key[rank];
}

/* Sorts by the measure, the largest first; by lost time and by count, rows of too few losses come last. */
static uint64_t measure_number(const struct tally_row *row, unsigned rank, enum tally_sort sort)
{
	switch (sort) {
	case TALLY_LONGEST:
		return rank == 0 ? UINT64_MAX - row->sum.longest_ns : 0;
	case TALLY_COUNT:
		return rank == 0 ? row->is_too_few : rank == 1 ? UINT64_MAX - row->sum.count : 0;
	default:
		return rank == 0 ? row->is_too_few : UINT64_MAX - (rank == 1 ? row->lost.low_ns : row->lost.ns);
	}
}

enum { MEASURES = 3 };

static uint64_t tally_order(const void *row, unsigned rank, const void *arg)
{
	const struct tally_row *own = *(const struct tally_row *const *)row;
	return rank < MEASURES ? measure_number(own, rank, *(const enum tally_sort *)arg) : own->first;
}

static void tally_merge(struct tally_row *into, const struct tally_row *from)
{
	into->parts += from->parts;
	tally_sum_add(&into->sum, &from->sum);
}

static void tally_estimate(struct tally *tally)
{
	for (size_t i = 0; i < tally->len; i++) {
		struct tally_row *row = tally->rows[i];
		row->lost = estimate_of(tally->recording, &row->sum);
		row->is_too_few = estimate_is_too_few(tally->recording, row->sum.count);
	}
}

void tally_group(struct tally *tally, enum tally_sort measure)
{
	size_t kept = 0;
	sort(tally->rows, tally->len, sizeof *tally->rows, key_number, 2, NULL);
	for (size_t i = 0; i < tally->len; i++) {
		if (kept > 0 && tally_compare_keys(tally->rows[kept - 1], tally->rows[i]) == 0)
			tally_merge(tally->rows[kept - 1], tally->rows[i]);
		else
			tally->rows[kept++] = tally->rows[i];
	}
	tally->len = kept;
	tally_estimate(tally);
	sort(tally->rows, tally->len, sizeof *tally->rows, tally_order, MEASURES + 1, &measure);
}

size_t tally_known(const struct tally *tally, enum tally_sort measure)
{
	size_t known = tally->len;
	while (measure != TALLY_LONGEST && known > 0 && tally->rows[known - 1]->is_too_few)
		known--;
	return known;
}

/* ---- sums by victim and culprit ---- */

/* Maps a culprit's traceback to a number. Entries with equal numbers have the same culprit. */
typedef uint32_t identify(struct places *places, uint32_t traceback);

static struct tally by_culprit(
	const struct recording *recording, struct places *places, identify *culprit, enum tally_sort sort)
{
	struct tally tally = tally_make(recording, recording->entry_count);
	for (size_t i = 0; i < recording->entry_count; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		if (entry->contention == STMLOG_NONE)
			continue;
		struct tally_sum sum = tally_sum_of(entry);
		tally_add(&tally, places_innermost(places, entry->local), culprit(places, entry->remote), &sum);
	}
	tally_group(&tally, sort);
	return tally;
}

struct tally blame_pairs(const struct recording *recording, struct places *places, enum tally_sort sort)
{
	return by_culprit(recording, places, places_innermost, sort);
}

uint64_t blame_bound_ns(const struct recording *recording, const struct tally_sum *sum)
{
	uint64_t lost_ns = estimate_of(recording, sum).high_ns, wall_ns = recording->info.wall_ns;
	return lost_ns < wall_ns ? lost_ns : wall_ns;
}

struct tally blame_aggressors(const struct recording *recording, struct places *places, enum tally_sort sort)
{
	struct tally victims = by_culprit(recording, places, places_traceback, sort);
	struct tally tally = tally_make(recording, victims.len);
	for (size_t i = 0; i < victims.len; i++)
		tally_add(&tally, victims.rows[i]->key[1], 0, &victims.rows[i]->sum);
	tally_group(&tally, sort);
	tally_drop(&victims);
	return tally;
}

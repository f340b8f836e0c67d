/* SPDX-License-Identifier: MIT
 * Adds up the rows of sites by place, sorts them by the time blocked, and finds the entries that tell what transactions
 * waited for. */
#include "blocked.h"

#include <string.h>

#include <stmlog/causes.h>

#include "record_sums.h"
#include "report_memory.h"
#include "sort.h"

/* Sorts by time, the longest first. Rows of equal time stay in the order of the file, which `reserved` keeps. */
static uint64_t number_of(const void *row, unsigned rank, const void *arg)
{
	const struct blocked_row *blocked = row;
	(void)arg;
	return rank == 0 ? UINT64_MAX - blocked->record.blocked_ns : blocked->record.reserved;
}

/* The row of the place; adds a row of zeros if there is none. */
static struct blocked_row *row_of(struct blocked *all, uint32_t place)
{
	for (size_t i = 0; i < all->len; i++)
		if (all->rows[i].place == place)
			return &all->rows[i];
	all->rows[all->len] = (struct blocked_row){place, {.reserved = (uint32_t)all->len}, NULL, NULL};
	return &all->rows[all->len++];
}

/* ---- what they waited for ---- */

uint64_t blocked_address(const struct stmlog_entry_record *entry)
{
	size_t max = 0;
	for (size_t i = 1; i < RECORDING_OBJECTS; i++)
		if (entry->objects[i].count > entry->objects[max].count)
			max = i;
	return entry->objects[max].address;
}

/* The known wakes by transactions that begin at the place of the waker `i`. */
static uint64_t wakes_of_place(struct places *places, const struct stmlog_blocked_record *record, size_t i)
{
	uint64_t sum = 0;
	for (size_t k = 0; k < STMLOG_WAKERS; k++)
		if (record->wakers[k].count != 0 &&
			places_site(places, record->wakers[k].site) == places_site(places, record->wakers[i].site))
			sum += record->wakers[k].count;
	return sum;
}

struct blocked_waker blocked_waker(struct places *places, const struct blocked_row *row)
{
	struct blocked_waker most = {PLACE_UNKNOWN, 0};
	for (size_t i = 0; i < STMLOG_WAKERS && row->record.wakers[i].count != 0; i++) {
		uint64_t count = wakes_of_place(places, &row->record, i);
		if (count > most.count)
			most = (struct blocked_waker){places_site(places, row->record.wakers[i].site), count};
	}
	return most;
}

static bool is_retry(const struct recording *recording, const struct stmlog_entry_record *entry)
{
	return entry->reason == STMLOG_USER_ABORT && entry->site < recording->site_count &&
	       strncmp(recording_string(recording, entry->detail), "RETRY", strlen("RETRY")) == 0;
}

/* Of two entries, the second one if it comes first by its rank, or else by its count. */
static const struct stmlog_entry_record *preferred(const struct stmlog_entry_record *best, unsigned best_rank,
	const struct stmlog_entry_record *entry, unsigned rank)
{
	bool is_better = best == NULL || rank > best_rank || (rank == best_rank && entry->count > best->count);
	return is_better ? entry : best;
}

static unsigned waker_rank(struct places *places, const bool *begins, const struct blocked_row *row)
{
	return row->woken != NULL && !begins[places_innermost(places, row->woken->remote)];
}

static void add_entry(struct blocked_row *row, const struct recording *recording, struct places *places,
	const bool *begins, const struct stmlog_entry_record *entry)
{
	bool has_object = row->waits != NULL && blocked_address(row->waits) != 0;
	row->waits = preferred(row->waits, has_object, entry, blocked_address(entry) != 0);
	struct blocked_row with = {.woken = entry};
	if (recording_traceback(recording, entry->remote).len > 0)
		row->woken = preferred(
			row->woken, waker_rank(places, begins, row), entry, waker_rank(places, begins, &with));
}

static void add_entries(struct blocked *all, const struct recording *recording, struct places *places)
{
	bool *begins = all->len > 0 ? places_begins(places) : NULL;
	for (size_t i = 0; i < recording->entry_count && all->len > 0; i++) {
		const struct stmlog_entry_record *entry = &recording->entries[i];
		if (!is_retry(recording, entry))
			continue;
		for (size_t k = 0; k < all->len; k++)
			if (all->rows[k].place == places_site(places, entry->site))
				add_entry(&all->rows[k], recording, places, begins, entry);
	}
	memory_free(begins);
}

/* ---- all ---- */

struct blocked blocked_make(const struct recording *recording, struct places *places)
{
	struct blocked all = {memory_zeroed(recording->blocked_count, sizeof *all.rows), 0};
	for (size_t i = 0; i < recording->blocked_count; i++) {
		uint32_t site = recording->blocked[i].site;
		uint32_t place = site != STMLOG_NO_SITE ? places_site(places, site) : PLACE_UNKNOWN;
		blocked_record_add(&row_of(&all, place)->record, &recording->blocked[i]);
	}
	add_entries(&all, recording, places);
	sort(all.rows, all.len, sizeof *all.rows, number_of, 2, NULL);
	return all;
}

void blocked_fini(struct blocked *blocked)
{
	memory_free(blocked->rows);
	*blocked = (struct blocked){NULL, 0};
}

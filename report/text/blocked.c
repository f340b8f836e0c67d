/* SPDX-License-Identifier: MIT
 * Adds up the rows of sites by place, and sorts them by the time blocked. */
#include "blocked.h"

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
	all->rows[all->len] = (struct blocked_row){place, {.reserved = (uint32_t)all->len}};
	return &all->rows[all->len++];
}

struct blocked blocked_make(const struct recording *recording, struct places *places)
{
	struct blocked all = {memory_zeroed(recording->blocked_count, sizeof *all.rows), 0};
	for (size_t i = 0; i < recording->blocked_count; i++) {
		uint32_t site = recording->blocked[i].site;
		uint32_t place = site != STMLOG_NO_SITE ? places_site(places, site) : PLACE_UNKNOWN;
		blocked_record_add(&row_of(&all, place)->record, &recording->blocked[i]);
	}
	sort(all.rows, all.len, sizeof *all.rows, number_of, 2, NULL);
	return all;
}

void blocked_fini(struct blocked *blocked)
{
	memory_free(blocked->rows);
	*blocked = (struct blocked){NULL, 0};
}

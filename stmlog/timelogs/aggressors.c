/* SPDX-License-Identifier: MIT
 * Sums up the groups of a timelog by remote traceback. The groups are read by rank, so rows with equal losses keep the
 * order of their costliest groups. Two hash tables find the row of a traceback, and whether a row has had a victim
 * before. */
#include "timelog.h"

#include "index.h"
#include "mem.h"
#include "misuse.h"
#include "radix.h"

/* A place that has lost because of the transaction of a row. */
struct victim {
	uint32_t row;
	struct tb_site site; /* innermost frame of its traceback; zeros if that has no frame */
	bool is_unknown;     /* the traceback is TB_UNKNOWN */
};

/* All memory is in one piece, for as many rows and victims as there are groups. */
struct search {
	struct stmlog_aggressor *rows;
	struct victim *victims;
	struct radix_item *items; /* twice as many */
	struct index by_traceback, by_victim;
	uint32_t rows_len, victims_len;
	void *memory;
	size_t size;
};

static bool search_init(struct search *search, uint32_t groups)
{
	size_t tables = index_storage_size(groups), rows = groups * sizeof *search->rows;
	size_t victims = groups * sizeof *search->victims, items = 2 * groups * sizeof *search->items;
	*search = (struct search){.size = 2 * tables + rows + victims + items};
	char *memory = search->memory = mem_alloc(search->size);
	if (memory == NULL)
		return false;
	index_init(&search->by_traceback, groups, memory);
	index_init(&search->by_victim, groups, memory + tables);
	search->rows = (struct stmlog_aggressor *)(void *)(memory + 2 * tables);
	search->victims = (struct victim *)(void *)(memory + 2 * tables + rows);
	search->items = (struct radix_item *)(void *)(memory + 2 * tables + rows + victims);
	return true;
}

/* Returns the number of the traceback's row. Adds the row if the traceback has none yet. */
static uint32_t find_row(struct search *search, struct tb_frame *remote)
{
	uint64_t hash = tb_hash(remote);
	struct index_cursor cursor = index_find(&search->by_traceback, hash);
	uint32_t row;
	while (index_next(&cursor, &row))
		if (tb_equal(search->rows[row].remote, remote))
			return row;
	row = search->rows_len++;
	search->rows[row] = (struct stmlog_aggressor){.remote = remote};
	index_add(&search->by_traceback, hash, row);
	return row;
}

static bool is_same_victim(const struct victim *a, const struct victim *b)
{
	return a->row == b->row && site_is_same(a->site, b->site) && a->is_unknown == b->is_unknown;
}

/* Returns whether the victim is new. */
static bool add_victim(struct search *search, uint32_t row, const struct tb_frame *local)
{
	struct victim victim = {.row = row, .is_unknown = tb_is_unknown(local)};
	if (tb_is_frame(local))
		victim.site = tb_frame_site(local);
	uint64_t hash = (site_hash(victim.site) ^ row) * 0x9e3779b97f4a7c15u;
	struct index_cursor cursor = index_find(&search->by_victim, hash);
	uint32_t at;
	while (index_next(&cursor, &at))
		if (is_same_victim(&search->victims[at], &victim))
			return false;
	search->victims[search->victims_len] = victim;
	index_add(&search->by_victim, hash, search->victims_len++);
	return true;
}

static void add_entry(struct stmlog_aggressor *into, const struct stmlog_entry *entry)
{
	into->count += entry->count;
	into->lost_ns += entry->lost_ns;
	into->descheduled_ns += entry->descheduled_ns;
	into->wasted += entry->wasted;
	into->wasted_ns += entry->wasted_ns;
	into->false_conflicts += entry->false_conflicts;
	into->estimated_ns += entry->estimated_ns;
	into->variance_ns2 = stmlog_joint_variance(into->variance_ns2, entry->variance_ns2);
	if (entry->longest_ns > into->longest_ns)
		into->longest_ns = entry->longest_ns;
}

static void add_groups(struct search *search, struct stmlog_timelog *log)
{
	const struct group *group;
	for (size_t rank = 0; (group = timelog_at(log, rank)) != NULL; rank++) {
		const struct stmlog_entry *entry = &group->entry;
		if (entry->cause.contention == STMLOG_NONE)
			continue;
		uint32_t row = find_row(search, entry->remote);
		search->rows[row].victims += add_victim(search, row, entry->local);
		add_entry(&search->rows[row], entry);
	}
}

static void copy_costliest(const struct search *search, void *rows, size_t max, size_t size)
{
	for (uint32_t i = 0; i < search->rows_len; i++)
		search->items[i] = (struct radix_item){UINT64_MAX - search->rows[i].lost_ns, i};
	const struct radix_item *sorted = radix_sort(search->items, search->items + search->rows_len, search->rows_len);
	for (size_t i = 0; i < max && i < search->rows_len; i++)
		sized_copy((char *)rows + i * size, size, &search->rows[sorted[i].at], sizeof search->rows[0]);
}

size_t aggressors_find(struct stmlog_timelog *log, void *rows, size_t max, size_t size)
{
	struct search search;
	if (log->len == 0 || !search_init(&search, (uint32_t)log->len))
		return 0;
	timelog_arrange(log);
	add_groups(&search, log);
	copy_costliest(&search, rows, max, size);
	mem_free(search.memory, search.size);
	return search.rows_len;
}

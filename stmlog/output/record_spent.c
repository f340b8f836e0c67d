/* SPDX-License-Identifier: MIT
 * Merges rows of the same traceback or site into the first of them. */
#include "record_spent.h"

#include "mem.h"
#include "record_sums.h"

/* The number of the first row of each key, plus one; 0: none yet. An array, because keys are the small numbers of
 * intern.h. */
struct firsts {
	uint32_t *rows;
	size_t size; /* bytes */
};

static bool firsts_init(struct firsts *firsts, size_t keys)
{
	firsts->size = keys * sizeof *firsts->rows;
	firsts->rows = mem_alloc(firsts->size);
	return firsts->rows != NULL;
}

static void firsts_fini(struct firsts *firsts)
{
	mem_free(firsts->rows, firsts->size);
}

/* Returns the number of the first row of the key; SIZE_MAX: `row` is the first. */
static size_t first_of(struct firsts *firsts, size_t key, size_t row)
{
	if (firsts->rows[key] != 0)
		return firsts->rows[key] - 1;
	firsts->rows[key] = (uint32_t)row + 1;
	return SIZE_MAX;
}

/* ---- paths ---- */

/* Traceback 0 has two keys, which differ in their flags. */
static size_t key_of_path(const struct stmlog_path_record *record)
{
	return 2 * (size_t)record->traceback + (record->flags & STMLOG_PATH_OVERFLOW);
}

void record_paths(struct spent *spent, struct intern *intern, struct buffer *paths)
{
	struct firsts firsts;
	uint32_t last = 0;
	for (size_t i = 0; i < spent->path_count; i++) {
		uint32_t number = intern_traceback(intern, spent->paths[i].traceback);
		spent->paths[i].record.traceback = number;
		last = number > last ? number : last;
	}
	if (!firsts_init(&firsts, 2 * ((size_t)last + 1))) {
		paths->has_failed = true;
		return;
	}
	for (size_t i = 0; i < spent->path_count; i++) {
		size_t first = first_of(&firsts, key_of_path(&spent->paths[i].record), i);
		if (first != SIZE_MAX)
			path_record_add(&spent->paths[first].record, &spent->paths[i].record);
	}
	for (size_t i = 0; i < spent->path_count; i++)
		if (firsts.rows[key_of_path(&spent->paths[i].record)] == i + 1)
			buffer_append(paths, &spent->paths[i].record, sizeof spent->paths[i].record);
	firsts_fini(&firsts);
}

/* ---- rows by site ---- */

/* Unknown sites have the key 0. */
static size_t key_of_site(uint32_t site)
{
	return site != STMLOG_NO_SITE ? (size_t)site + 1 : 0;
}

/* Sets the sites of all rows. Returns false without memory. */
static bool begin_sites(struct firsts *firsts, struct spent *spent, struct intern *intern)
{
	size_t last = 0;
	for (size_t i = 0; i < spent->tries_count; i++) {
		struct tries_site *tries = &spent->tries[i];
		tries->record.site = tries->site.position != 0 ? intern_site(intern, tries->site) : STMLOG_NO_SITE;
		tries->blocked.site = tries->record.site;
		size_t key = key_of_site(tries->record.site);
		last = key > last ? key : last;
	}
	return firsts_init(firsts, last + 1);
}

void record_transactions(struct spent *spent, struct intern *intern, struct buffer *transactions)
{
	struct firsts firsts;
	if (!begin_sites(&firsts, spent, intern)) {
		transactions->has_failed = true;
		return;
	}
	for (size_t i = 0; i < spent->tries_count; i++) {
		size_t first = first_of(&firsts, key_of_site(spent->tries[i].record.site), i);
		if (first != SIZE_MAX)
			transaction_record_add(&spent->tries[first].record, &spent->tries[i].record);
	}
	for (size_t i = 0; i < spent->tries_count; i++)
		if (firsts.rows[key_of_site(spent->tries[i].record.site)] == i + 1 &&
			spent->tries[i].record.commits != 0)
			buffer_append(transactions, &spent->tries[i].record, sizeof spent->tries[i].record);
	firsts_fini(&firsts);
}

/* ---- blocked ---- */

/* Leaves only rows of transactions that were blocked. */
void record_blocked(struct spent *spent, struct intern *intern, struct buffer *blocked)
{
	struct firsts firsts;
	bool was_any = false;
	for (size_t i = 0; i < spent->tries_count; i++)
		was_any |= spent->tries[i].blocked.count != 0;
	if (!was_any)
		return;
	if (!begin_sites(&firsts, spent, intern)) {
		blocked->has_failed = true;
		return;
	}
	for (size_t i = 0; i < spent->tries_count; i++) {
		size_t first = first_of(&firsts, key_of_site(spent->tries[i].blocked.site), i);
		if (first != SIZE_MAX)
			blocked_record_add(&spent->tries[first].blocked, &spent->tries[i].blocked);
	}
	for (size_t i = 0; i < spent->tries_count; i++)
		if (firsts.rows[key_of_site(spent->tries[i].blocked.site)] == i + 1 &&
			spent->tries[i].blocked.count != 0)
			buffer_append(blocked, &spent->tries[i].blocked, sizeof spent->tries[i].blocked);
	firsts_fini(&firsts);
}

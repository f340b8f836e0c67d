/* SPDX-License-Identifier: MIT
 * Collects the rows of all threads' records, under the registry's lock. */
#include "spent.h"

#include <errno.h>

#include "mem.h"
#include "record_sums.h"
#include "registry.h"

_Static_assert(PATH_KINDS == 4, "a path's record has a member for each");

/* ---- reading rows ---- */

static double estimated_count(const struct path_cost *cost, enum path_kind kind)
{
	return (double)AO_load(&cost->count[kind]) + (double)AO_load(&cost->surplus[kind]);
}

static void add_path(const struct tb_frame *traceback, bool is_overflow, const struct path_cost *cost, void *rows)
{
	uint64_t ns[PATH_KINDS];
	double estimated_ns[PATH_KINDS];
	for (int kind = 0; kind < PATH_KINDS; kind++) {
		ns[kind] = AO_load(&cost->ns[kind]);
		estimated_ns[kind] = (double)ns[kind] + (double)AO_load(&cost->surplus_ns[kind]);
	}
	struct spent_path path = {
		.traceback = traceback,
		.record =
			{
				.flags = is_overflow ? STMLOG_PATH_OVERFLOW : 0,
				.commits = AO_load(&cost->count[PATH_COMMITTED]),
				.aborts = AO_load(&cost->count[PATH_ABORTED]),
				.pauses = AO_load(&cost->count[PATH_PAUSED]),
				.waits = AO_load(&cost->count[PATH_WAITING]),
				.committed_ns = ns[PATH_COMMITTED],
				.aborted_ns = ns[PATH_ABORTED],
				.paused_ns = ns[PATH_PAUSED],
				.waiting_ns = ns[PATH_WAITING],
				.estimated_committed_ns = estimated_ns[PATH_COMMITTED],
				.estimated_aborted_ns = estimated_ns[PATH_ABORTED],
				.estimated_paused_ns = estimated_ns[PATH_PAUSED],
				.estimated_waiting_ns = estimated_ns[PATH_WAITING],
				.estimated_commits = estimated_count(cost, PATH_COMMITTED),
				.estimated_aborts = estimated_count(cost, PATH_ABORTED),
			},
	};
	buffer_append(rows, &path, sizeof path);
}

static void add_tries(const struct tries_site *site, void *rows)
{
	buffer_append(rows, site, sizeof *site);
}

int spent_gather(struct spent *spent)
{
	*spent = (struct spent){.path_count = 0};
	registry_lock();
	for (const struct stmlog_thread *thread = registry.made; thread != NULL; thread = thread->made) {
		if (thread->paths != NULL)
			paths_each(thread->paths, add_path, &spent->path_rows);
		tries_each(&thread->distribution, add_tries, &spent->tries_rows);
	}
	registry_unlock();
	if (spent->path_rows.has_failed || spent->tries_rows.has_failed) {
		spent_fini(spent);
		return -ENOMEM;
	}
	spent->paths = (struct spent_path *)(void *)spent->path_rows.bytes;
	spent->tries = (struct tries_site *)(void *)spent->tries_rows.bytes;
	spent->path_count = spent->path_rows.len / sizeof *spent->paths;
	spent->tries_count = spent->tries_rows.len / sizeof *spent->tries;
	return 0;
}

void spent_fini(struct spent *spent)
{
	buffer_fini(&spent->path_rows);
	buffer_fini(&spent->tries_rows);
	*spent = (struct spent){.path_count = 0};
}

/* ---- merging rows of the same traceback or site into the first of them ---- */

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
		for (size_t k = 0; k < STMLOG_WAKERS && tries->blocked.wakers[k].count != 0; k++)
			tries->blocked.wakers[k].site = intern_site(intern, tries->wakers[k]);
		size_t key = key_of_site(tries->record.site);
		last = key > last ? key : last;
	}
	return firsts_init(firsts, last + 1);
}

void record_tries(struct spent *spent, struct intern *intern, struct buffer *transactions, struct buffer *blocked)
{
	struct firsts firsts;
	if (!begin_sites(&firsts, spent, intern)) {
		transactions->has_failed = true;
		return;
	}
	for (size_t i = 0; i < spent->tries_count; i++) {
		size_t first = first_of(&firsts, key_of_site(spent->tries[i].record.site), i);
		if (first == SIZE_MAX)
			continue;
		transaction_record_add(&spent->tries[first].record, &spent->tries[i].record);
		blocked_record_add(&spent->tries[first].blocked, &spent->tries[i].blocked);
	}
	for (size_t i = 0; i < spent->tries_count; i++) {
		const struct tries_site *tries = &spent->tries[i];
		bool is_first = firsts.rows[key_of_site(tries->record.site)] == i + 1;
		if (is_first && (tries->record.commits != 0 || tries->record.estimated_committed_ns > 0))
			buffer_append(transactions, &tries->record, sizeof tries->record);
		if (is_first && tries->blocked.count != 0)
			buffer_append(blocked, &tries->blocked, sizeof tries->blocked);
	}
	firsts_fini(&firsts);
}

/* SPDX-License-Identifier: MIT
 * Reads all threads, one by one, under the registry's lock. */
#include "sections.h"

#include <errno.h>

#include "check.h"
#include "clock.h"
#include "figures.h"
#include "locks.h"
#include "mem.h"
#include "misuse.h"
#include "record_sums.h"
#include "registry.h"
#include "saturate.h"

_Static_assert(PATH_KINDS == 4, "a path's record has a member for each");

/* ---- figures and entries ---- */

/* Reads account and timelog of an attached thread so that they have the same losses. Returns false if either could not
 * be read; the other is still read if possible. Requires the registry's lock. */
static bool read_thread(struct gathered *gathered, struct stmlog_thread *thread, struct thread_figures *figures)
{
	REQUIRES(registry_is_locked());
	struct ledger *ledger = &thread->ledger;
	bool is_held = ledger_hold(ledger, thread == stmlog_thread_self()) == 0;
	bool is_read = figures_read(figures, thread);
	if (!is_held)
		return false;
	const struct account *before = ledger_account_before_detour(ledger);
	if (before != NULL)
		is_read = figures_read_account(figures, before);
	ledger_read(ledger, thread->log, gathered->log);
	ledger_release(ledger);
	return is_read;
}

static size_t count_attached(void)
{
	size_t count = 0;
	for (struct stmlog_thread *thread = registry.attached; thread != NULL; thread = thread->next)
		count++;
	return count;
}

static int make_room(struct gathered *gathered, size_t attached)
{
	/* Twice the capacity: for a thread's timelog, and for its pending groups and detours. */
	size_t capacity = registry.retired->capacity + attached * 2 * (registry.capacity + PENDING_GROUPS);
	gathered->threads_size = (registry.ended_len + attached + 1) * sizeof *gathered->threads;
	gathered->threads = mem_alloc(gathered->threads_size);
	gathered->stack = tb_stack_create(0);
	gathered->log = gathered->stack != NULL ? timelog_create(capacity, gathered->stack) : NULL;
	if (gathered->threads != NULL && gathered->log != NULL)
		return 0;
	gathered_fini(gathered);
	return -ENOMEM;
}

/* Inserts the thread in the order of ids. Cheap, because the threads come nearly in this order. */
static void gathered_put(struct gathered *gathered, const struct thread_figures *figures)
{
	size_t at = gathered->threads_len++;
	while (at > 0 && gathered->threads[at - 1].id > figures->id) {
		gathered->threads[at] = gathered->threads[at - 1];
		at--;
	}
	gathered->threads[at] = *figures;
	figures_add(&gathered->total, figures);
}

static void collect(struct gathered *gathered)
{
	struct thread_figures figures;
	if (registry.remainder_threads != 0)
		gathered_put(gathered, &registry.remainder);
	gathered->threads_dropped = registry.remainder_threads;
	gathered->refused = registry.refused;
	for (size_t i = 0; i < registry.ended_len; i++)
		gathered_put(gathered, &registry.ended[i]);
	timelog_merge_foreign(gathered->log, registry.retired);
	for (struct stmlog_thread *thread = registry.attached; thread != NULL; thread = thread->next) {
		if (!read_thread(gathered, thread, &figures))
			gathered->logs_unread++;
		if (locks_are_abandoned() && thread->is_busy)
			gathered->killed_within++;
		gathered_put(gathered, &figures);
	}
}

static uint64_t cost_of_origins(const struct thread_figures *total)
{
	double each_ns = total->origins_timed != 0 ? (double)total->origins_timed_ns / (double)total->origins_timed : 0;
	return saturated_whole(each_ns * (double)total->origins);
}

int gather(struct gathered *gathered, uint64_t began_ns)
{
	*gathered = (struct gathered){.wall_ns = 0};
	registry_lock();
	int error = make_room(gathered, count_attached());
	if (error == 0)
		collect(gathered);
	registry_unlock();
	if (error != 0)
		return error;
	gathered->wall_ns = clock_now_ns() - began_ns;
	gathered->misuses = misuse_total();
	gathered->probe_cost_ns = stmlog_probe_cost_ns(gathered->total.account.events);
	gathered->origins_cost_ns = cost_of_origins(&gathered->total);
	return 0;
}

void gathered_fini(struct gathered *gathered)
{
	timelog_destroy(&gathered->log);
	tb_stack_destroy(&gathered->stack);
	mem_free(gathered->threads, gathered->threads_size);
}

/* ---- paths and transactions: the rows of all threads' records ---- */

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
 * intern.c. */
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

/* ---- the section PATHS ---- */

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

/* ---- the sections TRANSACTIONS and BLOCKED ---- */

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

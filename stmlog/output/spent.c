/* SPDX-License-Identifier: MIT
 * Collects the rows of all threads' records, under the registry's lock. */
#include "spent.h"

#include <errno.h>

#include "mem.h"
#include "registry.h"

_Static_assert(PATH_KINDS == 4, "a path's record has a member for each");

/* ---- counting rows ---- */

static void count_path(const struct tb_frame *traceback, bool is_overflow, const struct path_cost *cost, void *arg)
{
	(void)traceback;
	(void)is_overflow;
	(void)cost;
	++*(size_t *)arg;
}

static void count_tries(const struct tries_site *site, void *arg)
{
	(void)site;
	++*(size_t *)arg;
}

/* Running threads may get new rows between counting and reading. */
#define ROWS_SPARE 64

static int make_room(struct spent *spent)
{
	size_t paths = ROWS_SPARE, tries = ROWS_SPARE;
	for (const struct stmlog_thread *thread = registry.made; thread != NULL; thread = thread->made) {
		if (thread->paths != NULL)
			paths_each(thread->paths, count_path, &paths);
		tries_each(thread->distribution, count_tries, &tries);
	}
	spent->paths_size = paths * sizeof *spent->paths;
	spent->tries_size = tries * sizeof *spent->tries;
	spent->paths = mem_alloc(spent->paths_size);
	spent->tries = mem_alloc(spent->tries_size);
	return spent->paths != NULL && spent->tries != NULL ? 0 : -ENOMEM;
}

/* ---- reading rows ---- */

static void add_path(const struct tb_frame *traceback, bool is_overflow, const struct path_cost *cost, void *arg)
{
	struct spent *spent = arg;
	uint64_t ns[PATH_KINDS];
	double estimated_ns[PATH_KINDS];
	spent->is_cut |= (spent->path_count + 1) * sizeof *spent->paths > spent->paths_size;
	if (spent->is_cut)
		return;
	for (int kind = 0; kind < PATH_KINDS; kind++) {
		ns[kind] = AO_load(&cost->ns[kind]);
		estimated_ns[kind] = (double)ns[kind] + (double)AO_load(&cost->surplus_ns[kind]);
	}
	spent->paths[spent->path_count++] = (struct spent_path){
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
			},
	};
}

static void add_tries(const struct tries_site *site, void *arg)
{
	struct spent *spent = arg;
	spent->is_cut |= (spent->tries_count + 1) * sizeof *spent->tries > spent->tries_size;
	if (spent->is_cut)
		return;
	spent->tries[spent->tries_count++] = *site;
}

static int try_to_gather(struct spent *spent)
{
	*spent = (struct spent){.path_count = 0};
	if (make_room(spent) != 0) {
		spent_fini(spent);
		return -ENOMEM;
	}
	for (const struct stmlog_thread *thread = registry.made; thread != NULL; thread = thread->made) {
		if (thread->paths != NULL)
			paths_each(thread->paths, add_path, spent);
		tries_each(thread->distribution, add_tries, spent);
	}
	return 0;
}

/* If there were too many new rows, tries again with more room. This ends, because the rows of a thread are bounded. */
int spent_gather(struct spent *spent)
{
	registry_lock();
	int error = try_to_gather(spent);
	while (error == 0 && spent->is_cut) {
		spent_fini(spent);
		error = try_to_gather(spent);
	}
	registry_unlock();
	return error;
}

void spent_fini(struct spent *spent)
{
	if (spent->paths != NULL)
		mem_free(spent->paths, spent->paths_size);
	if (spent->tries != NULL)
		mem_free(spent->tries, spent->tries_size);
	*spent = (struct spent){.path_count = 0};
}

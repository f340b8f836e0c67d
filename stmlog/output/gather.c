/* SPDX-License-Identifier: MIT
 * Reads all threads, one by one, under the registry's lock. */
#include "gather.h"

#include <errno.h>

#include "check.h"
#include "clock.h"
#include "figures.h"
#include "locks.h"
#include "mem.h"
#include "misuse.h"
#include "saturate.h"

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
static void put(struct gathered *gathered, const struct thread_figures *figures)
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
		put(gathered, &registry.remainder);
	gathered->threads_dropped = registry.remainder_threads;
	gathered->refused = registry.refused;
	for (size_t i = 0; i < registry.ended_len; i++)
		put(gathered, &registry.ended[i]);
	timelog_merge_foreign(gathered->log, registry.retired);
	for (struct stmlog_thread *thread = registry.attached; thread != NULL; thread = thread->next) {
		if (!read_thread(gathered, thread, &figures))
			gathered->logs_unread++;
		if (locks_are_abandoned() && thread->is_busy)
			gathered->killed_within++;
		put(gathered, &figures);
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

/* SPDX-License-Identifier: MIT
 *
 * Adds up and reads the counts of transactions that were not measured. `mark` is twice the thread's number of restarts
 * (itm_restarts()) up to which `restarts` has been added up. It is 1 more while a measured transaction is under way,
 * and BUSY while the owner changes the two. The owner stores BUSY, then `restarts`, then the new mark (release). A
 * reader loads mark, restarts and libitm's counters (acquire) and then mark again: if it is the same, and not BUSY,
 * they belong together.
 *
 * libitm frees its struct of a thread when the thread ends. Before that the thread detaches, for which it waits until
 * no reader is at work. This rests on the order of the destructors of thread-specific data: it is that of their
 * creation in practice, but not by any standard. So the kernel reads the counters: it returns an error where the agent
 * would fault.
 */
#include "counts.h"

#include <errno.h>
#include <sched.h>
#include <sys/uio.h>
#include <unistd.h>

#include "agent.h"
#include "thread.h"

#define BUSY (~(AO_t)0)

/* A change takes some nanoseconds, or a time slice if the owner is preempted. */
#define MAX_TRIES 1000

/* ---- restarts ---- */

static uint64_t restarts_of(const uint32_t *counters)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < ITM_REASONS; i++)
		sum += counters[i];
	return sum;
}

static bool can_read_counters(void)
{
	return itm_agent.has_counters && itm_agent.has_totals;
}

uint64_t itm_restarts(void)
{
	const uint32_t *counters = can_read_counters() ? itm_counters() : NULL;
	return counters != NULL ? restarts_of(counters) : 0;
}

/* ---- owner ---- */

static void store(struct itm_counts *counts, uint64_t restarts, uint64_t mark)
{
	AO_store(&counts->mark, BUSY);
	AO_store_release(&counts->restarts, restarts);
	AO_store_release(&counts->mark, mark); /* partner: try_restarts() */
}

void itm_counts_begin(struct itm_counts *counts, uint64_t restarts, const char *const volatile *slot)
{
	AO_store(&counts->commits_before, AO_load(&counts->commits));
	AO_store(&counts->cancels_before, AO_load(&counts->cancels));
	AO_store(&counts->slot, (AO_t)slot);
	store(counts, 0, 2 * restarts);
}

/* How much the number of restarts has grown. If it is smaller than before, libitm has freed its struct of the thread,
 * with the counters, and made a new one. */
static uint64_t grown(uint64_t before, uint64_t now)
{
	return now >= before ? now - before : now;
}

void itm_counts_note(struct itm_counts *counts, uint64_t restarts)
{
	AO_t mark = AO_load(&counts->mark);
	if (mark % 2 == 0 && mark / 2 != restarts)
		store(counts, AO_load(&counts->restarts) + grown(mark / 2, restarts), 2 * restarts);
}

uint64_t itm_counts_new(const struct itm_counts *counts, uint64_t restarts)
{
	return grown(AO_load(&counts->mark) / 2, restarts);
}

void itm_counts_pause(struct itm_counts *counts)
{
	AO_store_release(&counts->mark, AO_load(&counts->mark) | 1);
}

void itm_counts_resume(struct itm_counts *counts, uint64_t restarts)
{
	AO_store_release(&counts->mark, 2 * restarts);
}

/* ---- any thread ---- */

/* Copies bytes of the process's own memory. If the kernel forbids the call, they are read directly. */
static bool copy(const volatile void *from, void *to, size_t size)
{
	const struct iovec source = {(void *)(uintptr_t)from, size}, target = {to, size};
	int saved = errno;
	ssize_t got = process_vm_readv(getpid(), &target, 1, &source, 1, 0);
	bool is_forbidden = got < 0 && (errno == ENOSYS || errno == EPERM);
	errno = saved;
	for (size_t i = 0; is_forbidden && i < size; i++)
		((volatile char *)to)[i] = ((const volatile char *)from)[i];
	return is_forbidden || got == (ssize_t)size;
}

/* The sum of libitm's counters of the ring's owner. Returns false if it could not be read. The owner itself reads its
 * own without asking the kernel, as it does at each sampled transaction. */
static bool sum_restarts(const struct itm_ring *ring, uint64_t *sum)
{
	const char *const volatile *slot = (const char *const volatile *)AO_load(&ring->counts.slot);
	uint32_t counters[ITM_REASONS] = {0};
	const char *transaction = NULL;
	*sum = 0;
	if (!can_read_counters())
		return true;
	if (slot != NULL && ring == itm_self.ring) {
		*sum = itm_restarts();
		return true;
	}
	if (slot == NULL || !copy(slot, &transaction, sizeof transaction))
		return false;
	if (transaction != NULL && !copy(itm_counters_of(transaction), counters, sizeof counters))
		return false;
	*sum = restarts_of(counters);
	return true;
}

/* Returns false if the owner has changed the counts meanwhile. */
static bool try_restarts(const struct itm_ring *ring, uint64_t *restarts, bool *is_whole)
{
	const struct itm_counts *counts = &ring->counts;
	uint64_t sum = 0;
	AO_t mark = AO_load_acquire(&counts->mark);
	*restarts = AO_load_acquire(&counts->restarts);
	*is_whole = mark % 2 == 1 || sum_restarts(ring, &sum);
	if (mark % 2 == 0 && *is_whole)
		*restarts += grown(mark / 2, sum);
	AO_nop_read();
	return mark != BUSY && mark == AO_load(&counts->mark);
}

bool itm_counts_read(void *arg, struct stmlog_unmeasured_counts *found)
{
	const struct itm_ring *ring = arg;
	const struct itm_counts *counts = &ring->counts;
	if (ring == &itm_ring_dummy) /* shared by all threads without a ring */
		return false;
	uint64_t cancels = AO_load(&counts->cancels) - AO_load(&counts->cancels_before), restarts = 0;
	bool is_whole = true, is_read = false;
	for (int tries = 0; tries < MAX_TRIES && !is_read; tries++) {
		if (tries != 0)
			sched_yield();
		is_read = try_restarts(ring, &restarts, &is_whole);
	}
	found->commits = AO_load(&counts->commits) - AO_load(&counts->commits_before);
	found->aborts = cancels + restarts;
	return is_read && is_whole;
}

/* ---- the process ---- */

/* A thread's counts are in its ring, and stay there when another thread takes the ring. */
void itm_hardware_set_facts(void)
{
	uint64_t in_hardware = 0, alone = 0;
	if (itm_agent.method != ITM_METHOD_HARDWARE || itm_locks.serial == NULL)
		return;
	for (const struct itm_ring *ring = itm_ring_first(); ring != NULL; ring = itm_ring_next(ring)) {
		in_hardware += AO_load(&ring->counts.in_hardware);
		alone += AO_load(&ring->counts.alone);
	}
	stmlog_set_fact("hardware_commits", in_hardware);
	stmlog_set_fact("hardware_fallbacks", alone);
}

void itm_hardware_forget(void)
{
	for (struct itm_ring *ring = itm_ring_first(); ring != NULL; ring = itm_ring_next(ring)) {
		AO_store(&ring->counts.in_hardware, 0);
		AO_store(&ring->counts.alone, 0);
	}
}

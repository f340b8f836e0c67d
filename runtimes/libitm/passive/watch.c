/* SPDX-License-Identifier: MIT
 *
 * The list of watched threads. One lock guards it, also while counters are read: so a thread that ends waits until the
 * reader is done, and libitm frees the counters only afterwards.
 */
#include "watch.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "requires.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* This thread holds the lock, or is about to take it. A signal handler that ends the process at that time has the
 * counts read, and would otherwise wait for the lock for ever. */
static __thread volatile sig_atomic_t is_holding __attribute__((tls_model("initial-exec")));

static struct itm_watched *all;
static uint64_t process_sums[ITM_REASONS];
static bool is_allowed;

static void acquire_lock(void)
{
	is_holding = 1;
	pthread_mutex_lock(&lock);
}

static void release_lock(void)
{
	pthread_mutex_unlock(&lock);
	is_holding = 0;
}

/* By how much a counter has risen; it may wrap around. If it is lower than before, it belongs to a new struct of
 * libitm's, at the address of one that was freed. */
static uint32_t moved(uint32_t before, uint32_t now)
{
	uint32_t difference = now - before;
	return difference <= INT32_MAX ? difference : now;
}

/* Returns how many restarts have been added. */
static uint64_t read_counters(struct itm_watched *watched)
{
	/* Meanwhile the thread may write them; each is a single word. */
	const volatile uint32_t *counters = itm_counters_of(watched->transaction);
	uint64_t restarts = 0;
	for (size_t i = 0; counters != NULL && i < ITM_REASONS; i++) {
		uint32_t now = counters[i], more = moved(watched->counted[i], now);
		watched->counted[i] = now;
		process_sums[i] += more;
		restarts += more;
	}
	return restarts;
}

/* Requires the lock. */
static void count(struct itm_watched *watched)
{
	REQUIRES(is_holding);
	const char *transaction = watched->slot != NULL ? *watched->slot : NULL;
	if (transaction == NULL || watched->thread == NULL)
		return;
	if (transaction != watched->transaction)
		memset(watched->counted, 0, sizeof watched->counted);
	watched->transaction = transaction;
	uint64_t restarts = is_allowed ? read_counters(watched) : 0;
	if (restarts != 0 || transaction != watched->inherited)
		stmlog_unmeasured(watched->thread, 0, restarts);
}

static void link_in(struct itm_watched *watched)
{
	watched->next = all;
	watched->link = &all;
	if (all != NULL)
		all->link = &watched->next;
	all = watched;
}

void itm_watch_allow(bool is_known)
{
	acquire_lock();
	is_allowed = is_known;
	release_lock();
}

void itm_watch(struct itm_watched *watched, const char *const volatile *slot)
{
	acquire_lock();
	watched->slot = slot;
	if (watched->link == NULL)
		link_in(watched);
	release_lock();
}

void itm_watch_count(struct itm_watched *watched)
{
	acquire_lock();
	count(watched);
	release_lock();
}

void itm_unwatch(struct itm_watched *watched)
{
	acquire_lock();
	count(watched);
	if (watched->link != NULL) {
		*watched->link = watched->next;
		if (watched->next != NULL)
			watched->next->link = watched->link;
		watched->link = NULL;
	}
	release_lock();
}

void itm_watch_count_all(uint64_t sums[ITM_REASONS])
{
	if (is_holding) { /* the sums of the last time */
		memcpy(sums, process_sums, sizeof process_sums);
		return;
	}
	acquire_lock();
	for (struct itm_watched *watched = all; watched != NULL; watched = watched->next)
		count(watched);
	memcpy(sums, process_sums, sizeof process_sums);
	release_lock();
}

void itm_watch_before_fork(void)
{
	acquire_lock();
}

void itm_watch_after_fork_in_parent(void)
{
	release_lock();
}

void itm_watch_after_fork_in_child(struct itm_watched *own)
{
	bool was_watched = own->link != NULL;
	all = NULL;
	own->link = NULL;
	if (was_watched) {
		own->transaction = own->inherited = *own->slot;
		if (is_allowed && own->transaction != NULL)
			read_counters(own);
		link_in(own);
	}
	memset(process_sums, 0, sizeof process_sums);
	release_lock();
}

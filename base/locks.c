/* SPDX-License-Identifier: MIT
 * Counts the locks that a thread holds. */
#include "locks.h"

#include <signal.h>
#include <time.h>

/* Raised before a lock is taken and lowered after it is dropped, so that a handler never sees too few. */
static _Thread_local volatile sig_atomic_t held __attribute__((tls_model("initial-exec")));

/* Of this thread; NULL: it waits as long as it takes. */
static _Thread_local bool (*is_alone)(void) __attribute__((tls_model("initial-exec")));

/* Between two looks. So many looks are half a second. */
#define NAP_NS 50000
#define LOOKS_MAX 10000

void locks_wait_until(bool (*alone)(void))
{
	is_alone = alone;
}

bool locks_are_abandoned(void)
{
	return is_alone != NULL && is_alone();
}

/* A lock that nobody will drop is as good as taken: nobody else is there. */
static void lock_or_inherit(pthread_mutex_t *lock)
{
	static const struct timespec nap = {0, NAP_NS};
	while (pthread_mutex_trylock(lock) != 0 && !is_alone())
		nanosleep(&nap, NULL);
}

void locks_lock(pthread_mutex_t *lock)
{
	held = held + 1;
	if (is_alone != NULL)
		lock_or_inherit(lock);
	else
		pthread_mutex_lock(lock);
}

void locks_lock_to_fork(pthread_mutex_t *lock)
{
	static const struct timespec nap = {0, NAP_NS};
	held = held + 1;
	for (int looks = 0; looks < LOOKS_MAX; looks++) {
		if (pthread_mutex_trylock(lock) == 0)
			return;
		nanosleep(&nap, NULL);
	}
	pthread_mutex_lock(lock);
}

void locks_unlock(pthread_mutex_t *lock)
{
	pthread_mutex_unlock(lock);
	held = held - 1;
}

bool locks_are_held_here(void)
{
	return held != 0;
}

/* SPDX-License-Identifier: MIT
 * Counts the locks that a thread holds. */
#include "locks.h"

#include <signal.h>
#include <time.h>

/* The number of locks that this thread holds. Raised before a lock is taken and lowered after it is released, so that a
 * signal handler never sees too small a number. */
static _Thread_local volatile sig_atomic_t held __attribute__((tls_model("initial-exec")));

/* The function that locks_wait_until() has set for this thread; NULL: it waits for a lock without a limit. */
static _Thread_local bool (*is_alone)(void) __attribute__((tls_model("initial-exec")));

void locks_wait_until(bool (*alone)(void))
{
	is_alone = alone;
}

bool locks_are_abandoned(void)
{
	return is_alone != NULL && is_alone();
}

/* Returns with the lock, or without it if no other thread exists that could release it: then no other thread can
 * disturb the caller either. */
static void lock_or_inherit(pthread_mutex_t *lock)
{
	static const struct timespec nap = {0, 50000};
	while (pthread_mutex_trylock(lock) != 0 && !is_alone())
		nanosleep(&nap, NULL);
}

static inline void pause_briefly(void)
{
#if defined __x86_64__
	__builtin_ia32_pause();
#elif defined __aarch64__
	__asm__ volatile("yield");
#endif
}

/* Tries less and less often, some microseconds in all. Returns whether it has got the lock. */
static bool poll_lock(pthread_mutex_t *lock)
{
	enum { PAUSES_MAX = 64 };
	for (int pauses = 1; pauses <= PAUSES_MAX; pauses *= 2) {
		if (pthread_mutex_trylock(lock) == 0)
			return true;
		for (int i = 0; i < pauses; i++)
			pause_briefly();
	}
	return false;
}

void locks_lock(pthread_mutex_t *lock)
{
	held = held + 1;
	if (is_alone != NULL)
		lock_or_inherit(lock);
	else if (!poll_lock(lock))
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

/* SPDX-License-Identifier: MIT
 * Counts the locks that a thread holds, and finds out that the process is a forked child. Asks the kernel for
 * barriers. */
#include "locks.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- mutexes ---- */

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

/* ---- forked children: known by words that the kernel clears there, or by a fork handler ---- */

volatile AO_t forks_words[4096 / sizeof(AO_t)] __attribute__((aligned(4096)));
static volatile AO_t begin_functions[FORKS_PARTS]; /* void (*)(void); 0: not watched yet */
static bool are_cleared;                           /* by the kernel */

/* Looks again: perhaps the part was not watched yet. Then stores the word, since beginning the part anew uses the part.
 * The child has one thread. */
__attribute__((cold)) void forks_begin_anew(enum fork_part part)
{
	int saved = errno;
	void (*begin_anew)(void) = (void (*)(void))AO_load_acquire(&begin_functions[part]); /* partner: forks_watch() */
	if (begin_anew == NULL || AO_load(&forks_words[part]) != 0)
		return;
	AO_store(&forks_words[part], 1);
	begin_anew();
	errno = saved;
}

static void after_fork_in_child(void)
{
	for (enum fork_part part = 0; part < FORKS_PARTS; part++) {
		if (!are_cleared)
			AO_store(&forks_words[part], 0);
		forks_look(part);
	}
}

static void prepare_forks(void)
{
	are_cleared = madvise((void *)forks_words, sizeof forks_words, MADV_WIPEONFORK) == 0;
	(void)pthread_atfork(NULL, NULL, after_fork_in_child); /* without memory fork() is likely to fail, too */
}

void forks_watch(enum fork_part part, void (*begin_anew)(void))
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int saved = errno;
	pthread_once(&once, prepare_forks);
	if (AO_load(&begin_functions[part]) == 0) {
		AO_store(&forks_words[part], 1);
		AO_store_release(&begin_functions[part], (AO_t)begin_anew); /* partner: forks_begin_anew() */
	}
	errno = saved;
}

/* ---- the barrier ----
 *
 * Its heavy side asks the kernel for a barrier on all processors that run a thread of the process. */

bool fence_is_symmetric = true;
static volatile AO_t is_refused;

static bool membarrier(int command)
{
	return syscall(SYS_membarrier, command, 0, 0) == 0;
}

static bool fence_join(void)
{
	return membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

void fence_choose(void)
{
	static bool is_chosen;
	if (is_chosen)
		return;
	int saved = errno;
	is_chosen = true;
	fence_is_symmetric = !(fence_join() && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
	errno = saved;
}

/* A process must have registered before it asks for barriers. Kernels may forget the registration in a forked child. */
static bool barrier_everywhere(void)
{
	return membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) ||
	       (fence_join() && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
}

bool fence_heavy(void)
{
	AO_nop_full();
	if (fence_is_symmetric)
		return true;
	int saved = errno;
	if (!fence_is_refused() && !barrier_everywhere())
		AO_store(&is_refused, 1);
	errno = saved;
	return !fence_is_refused();
}

bool fence_is_refused(void)
{
	return AO_load(&is_refused) != 0;
}

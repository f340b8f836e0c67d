/* SPDX-License-Identifier: MIT
 *
 * A lock that is no pthread_mutex_t: programs that are built with a sanitizer have functions of their own for those,
 * and the first allocation comes before the sanitizer is ready for them. It is held for some hundred instructions.
 */
#ifndef OBJECTS_LOCK_H
#define OBJECTS_LOCK_H

#include <sched.h>

#include <atomic_ops.h>

struct lock {
	volatile AO_t is_held;
};

/* Acquire; partner: the release in lock_release(). Keeps errno, since sched_yield() does not fail. */
static inline void lock_acquire(struct lock *lock)
{
	while (AO_load(&lock->is_held) != 0 || !AO_compare_and_swap_acquire(&lock->is_held, 0, 1))
		sched_yield();
}

static inline void lock_release(struct lock *lock)
{
	AO_store_release(&lock->is_held, 0);
}

#endif

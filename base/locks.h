/* SPDX-License-Identifier: MIT
 * Mutexes of the library. A signal handler that ends the process has outputs made, for which locks are needed; if it
 * has interrupted a thread that holds one of them, it would wait for ever. So each thread knows whether it holds any.
 */
#ifndef STMLOG_LOCKS_H
#define STMLOG_LOCKS_H

#include <pthread.h>
#include <stdbool.h>

void locks_lock(pthread_mutex_t *lock);
void locks_unlock(pthread_mutex_t *lock);

/* For the thread that is about to fork. A lock that is held is looked at now and then: a thread that ends drops it, and
 * next takes a lock of the runtime's, which a child that is forked in that moment finds locked for ever. */
void locks_lock_to_fork(pthread_mutex_t *lock);

/* From now on the calling thread waits for a lock only as long as `is_alone` returns false: the threads that have
 * locked one then do not exist any more. NULL: as long as it takes. */
void locks_wait_until(bool (*is_alone)(void));

/* Whether such a thread is alone: what others were changing stays as it is. False for any other thread. */
bool locks_are_abandoned(void);

/* Whether the calling thread holds a lock, is about to take it, or has just dropped it. Async-signal-safe. */
bool locks_are_held_here(void);

#endif

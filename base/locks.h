/* SPDX-License-Identifier: MIT
 * Mutexes of the library, counted for each thread. A signal handler that ends the process makes outputs, for which it
 * needs locks; if it has interrupted a thread that holds one of them, it would wait for ever. So each thread knows
 * whether it holds any.
 *
 * Most holders keep a lock for less than a microsecond. So a thread that finds it locked polls it for about as long
 * before it sleeps: where threads begin and end all the time, sleepers would wake each other in a row. An adaptive
 * mutex of glibc's polls, too, but reads the time stamp counter, which a thread may have forbidden itself (PR_SET_TSC).
 */
#ifndef STMLOG_LOCKS_H
#define STMLOG_LOCKS_H

#include <pthread.h>
#include <stdbool.h>

void locks_lock(pthread_mutex_t *lock);
void locks_unlock(pthread_mutex_t *lock);

/* From now on the calling thread waits for a lock only as long as `is_alone` returns false: once it returns true, the
 * threads that hold locks do not exist any more. NULL: it waits without a limit. */
void locks_wait_until(bool (*is_alone)(void));

/* Whether the function that the calling thread has set by locks_wait_until() returns true: then data that other threads
 * were changing stay half changed. False if it has set none. */
bool locks_are_abandoned(void);

/* Whether the calling thread holds a lock, is about to take it, or has just released it. Async-signal-safe. */
bool locks_are_held_here(void);

#endif

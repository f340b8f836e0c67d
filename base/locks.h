/* SPDX-License-Identifier: MIT
 * Mutexes of the library. A signal handler that ends the process has outputs made, for which locks are needed; if it
 * has interrupted a thread that holds one of them, it would wait for ever. So each thread knows whether it holds any.
 */
#ifndef STMLOG_LOCKS_H
#define STMLOG_LOCKS_H

#include <pthread.h>
#include <stdbool.h>

void locks_take(pthread_mutex_t *lock);
void locks_drop(pthread_mutex_t *lock);

/* For the thread that is about to fork. A lock that is held is looked at now and then: a thread that ends drops it, and
 * next takes a lock of the runtime's, which a child that is forked in that moment finds locked for ever. */
void locks_take_to_fork(pthread_mutex_t *lock);

/* Whether the calling thread holds a lock, is about to take it, or has just dropped it. Async-signal-safe. */
bool locks_are_held_here(void);

#endif

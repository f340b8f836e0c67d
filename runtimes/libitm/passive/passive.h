/* SPDX-License-Identifier: MIT
 *
 * The passive library: it records how many attempts a run loses when no entry of libitm is hooked. It interposes only
 * the calls that start a thread, and reads libitm's restart counters.
 *
 *   watch.c     the threads whose counters can be read, and what was read of each
 *   passive.c   the session, and the threads in it
 *   threads.c   what a thread does before and after the program's own start routine
 *   load.c      the library is loaded and unloaded, and the process forks
 */
#ifndef ITM_PASSIVE_H
#define ITM_PASSIVE_H

#include <stdbool.h>
#include <stddef.h>

/* The calling thread begins: to be called before the program's code in it. It ends: to be called after the program's
 * code, but before libitm frees its struct of the thread. */
void itm_passive_enter(void);
void itm_passive_leave(void);

/* True while the calling thread is inside the library: threads that it starts then are not the program's. */
bool itm_passive_is_inside(void);

/* Counts a thread that could not be watched, because there was no memory. */
void itm_passive_miss(void);

/* To be called when the library is loaded and unloaded; and after a fork, in the child. */
void itm_passive_load(void);
void itm_passive_unload(void);
void itm_passive_after_fork_in_child(void);

/* ---- threads.c ---- */

/* Looks up the real pthread_create() and thrd_create(). */
void itm_threads_prepare(void);

/* To be called around a fork, so that the pool of arguments is consistent in the child. */
void itm_threads_before_fork(void);
void itm_threads_after_fork(void);

#endif

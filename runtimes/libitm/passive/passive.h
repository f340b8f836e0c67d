/* SPDX-License-Identifier: MIT
 *
 * The passive library: what a run loses when nobody looks. It hooks no entry of libitm,
 * only the beginning and the end of each thread, and reads what libitm has counted.
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

/* The calling thread begins, and ends: first thing and last thing. It is at an end when libitm has not let go of it. */
void itm_passive_enter(void);
void itm_passive_leave(void);

/* True while the thread is in the library, whose own threads are none of the program's. */
bool itm_passive_is_inside(void);

/* A thread begins that could not be watched, for want of memory. */
void itm_passive_miss(void);

/* The process: when the library is loaded and unloaded, and, of a fork, in the child. */
void itm_passive_load(void);
void itm_passive_unload(void);
void itm_passive_after_fork_in_child(void);

/* ---- threads.c ---- */

/* Looks up the real functions. */
void itm_threads_prepare(void);

/* Around a fork: the pool of arguments must be whole in the child. */
void itm_threads_before_fork(void);
void itm_threads_after_fork(void);

#endif

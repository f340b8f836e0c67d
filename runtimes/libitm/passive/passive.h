/* SPDX-License-Identifier: MIT
 *
 * The passive library: what a run loses when nobody looks. It hooks no entry of libitm,
 * only the beginning and the end of each thread, and reads what libitm has counted.
 *
 *   threads.c   what a thread does before and after the program's own start routine
 *   watch.c     whose counters there are, and what was read of them
 *   passive.c   beginnings and ends of the process
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

/* ---- threads.c ---- */

/* Looks up the real functions. */
void itm_threads_prepare(void);

/* Around a fork: the pool of arguments must be whole in the child. */
void itm_threads_before_fork(void);
void itm_threads_after_fork(void);

#endif

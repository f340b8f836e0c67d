/* SPDX-License-Identifier: MIT
 *
 * The threads whose counters are read, and the last reading of each. Counters are read when their thread ends and when
 * outputs are made. Only the increase since the last reading goes to the library, so it does not matter how often they
 * are read.
 */
#ifndef ITM_WATCH_H
#define ITM_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include <stmlog/agent.h>

#include "libitm_layout.h"

/* One for each thread, in the thread's own storage; the lock of watch.c guards it. Invariant: while it is watched,
 * libitm does not free the struct that `slot` points to, because the thread has not come to its destructors. */
struct itm_watched {
	struct itm_watched *next;
	struct itm_watched **link;        /* NULL: not watched */
	const char *const volatile *slot; /* itm_transaction_slot() of the thread; NULL: it was never watched */
	const char *transaction;          /* libitm's struct, when it was read last */
	uint32_t counted[ITM_REASONS];    /* its counters then; all 0 if they cannot be read */
	const char *inherited;            /* libitm's struct at a fork: its counts are not of this process */
	struct stmlog_thread *thread;     /* NULL: not recorded */
};

/* Sets whether counters can be read; at first they cannot. Without them it is only noticed that a thread transacts. */
void itm_watch_allow(bool is_known);

/* From now on until itm_unwatch(), other threads may read *watched, and the counters of the thread with this slot. */
void itm_watch(struct itm_watched *watched, const char *const volatile *slot);

/* Hands the increase since the last reading over to the library. *watched is the calling thread's, watched or not. */
void itm_watch_count(struct itm_watched *watched);

/* As itm_watch_count(). Afterwards no other thread reads *watched, or the thread's counters. */
void itm_unwatch(struct itm_watched *watched);

/* itm_watch_count() for all watched threads. `sums` becomes the restarts of all threads of the process, including
 * threads that have ended. */
void itm_watch_count_all(uint64_t sums[ITM_REASONS]);

/* To be called around a fork. The child watches only `own`, if that was watched, and its sums are 0. */
void itm_watch_before_fork(void);
void itm_watch_after_fork_in_parent(void);
void itm_watch_after_fork_in_child(struct itm_watched *own);

#endif

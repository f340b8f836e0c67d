/* SPDX-License-Identifier: MIT
 *
 * The threads whose counters libitm keeps, and what was read of each. A counter is read
 * when its thread ends and when outputs are made, and only what it has moved since goes
 * to the library, so that it does not matter how often that is.
 */
#ifndef ITM_WATCH_H
#define ITM_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include <stmlog/runtime.h>

#include "libitm_layout.h"

/* One per thread, in its own memory. Invariant: while it is watched, libitm does not free what hangs at `slot`:
 * the thread lives, and has not come to its destructors. Guarded by the lock of watch.c. */
struct itm_watched {
	struct itm_watched *next;
	struct itm_watched **link;        /* NULL: not watched */
	const char *const volatile *slot; /* NULL: it was never watched, and has nothing to tell */
	const char *transaction;          /* what hung there when it was read last, and its counters then */
	uint32_t counted[ITM_REASONS];    /* all 0 where they cannot be read */
	const char *inherited;            /* what hung there at a fork: says nothing of this process */
	struct stmlog_thread *thread;     /* NULL: not recorded */
};

/* Whether counters can be read (at first: no). Where not, transactions are only noticed. */
void itm_watch_allow(bool is_known);

/* From now on the thread whose slot this is may be read by others. */
void itm_watch(struct itm_watched *watched, const char *const volatile *slot);

/* Hands over what it has counted since the last time; the thread's own, watched or not. */
void itm_watch_count(struct itm_watched *watched);

/* As itm_watch_count(), and nobody else reads it from here on. */
void itm_unwatch(struct itm_watched *watched);

/* As itm_watch_count() of all that are watched; `sums` are of this process, watched or ended. */
void itm_watch_count_all(uint64_t sums[ITM_REASONS]);

/* Around a fork. The child watches `own` alone, if it was, and has counted nothing. */
void itm_watch_before_fork(void);
void itm_watch_after_fork_in_parent(void);
void itm_watch_after_fork_in_child(struct itm_watched *own);

#endif

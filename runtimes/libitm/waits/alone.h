/* SPDX-License-Identifier: MIT
 *
 * Transactions that run alone, with libitm's serial lock: all others wait for them. Each of them, measured or not,
 * records itself in its ring, and adds 1 to itm_alone_count, at the latest when its commit or cancel is called. So a
 * thread that has waited for the lock finds out how many had the lock meanwhile, and which was the first.
 *
 * It is only then that a transaction is known to run alone: a transaction that is not measured does not return to the
 * agent when it becomes irrevocable by a write, or starves: libitm has rolled it back too often, and runs it alone.
 * Under htm no transaction is recorded (counts.h).
 *
 * Invariants:  only the thread that holds the serial lock stores itm_alone_count, the number of transactions that were
 *              recorded;
 *              the `alone` of a ring has the number of the last one of its owner, or 0.
 * Partners: itm_alone_record() releases; itm_alone_so_far() (ring.h) and itm_alone_find_blocker() acquire.
 */
#ifndef ITM_ALONE_H
#define ITM_ALONE_H

#include <stmlog/agent.h>

#include "libitm_layout.h"
#include "others.h"
#include "ring.h"
#include "thread.h"

/* After more failed attempts than this, libitm takes the serial lock alone. */
#define ITM_FAILURES_MAX 100

/* ---- in the transaction that runs alone ---- */

/* The calling thread asks to run alone, at `place`. This may restart the transaction, so it is noted before. */
static inline void itm_alone_request(struct itm_ring *ring, uintptr_t place, enum itm_way way)
{
	AO_store(&ring->alone.requested, AO_load(&ring->completed) + 1);
	AO_store(&ring->alone.requested_place, place);
	AO_store(&ring->alone.requested_way, way);
}

/* Lets other threads see that the calling thread has waited for the serial lock since `since_ns`; 0: it does not wait
 * any more. */
static inline void itm_alone_publish_wait(struct itm_ring *ring, uint64_t since_ns)
{
	if (AO_load(&ring->alone.waits_since_ns) != since_ns)
		AO_store(&ring->alone.waits_since_ns, since_ns);
}

/* Records the calling thread's transaction, which holds the serial lock. */
void itm_alone_record(struct itm_thread *self, uintptr_t place, enum itm_way way);

/* For itm_alone_record_at_end(): finds out whether the transaction runs alone, and records it if it does. */
void itm_alone_record_at_end_slow(struct itm_thread *self);

/* Called directly before libitm's commit, or its cancel of the outermost transaction, which still holds the serial lock
 * if it runs alone: records it then. While its dispatch object is that of ml_wt it does not run alone. */
static inline void itm_alone_record_at_end(struct itm_thread *self)
{
	if (STMLOG_UNLIKELY(itm_dispatch() != itm_locks.dispatch))
		itm_alone_record_at_end_slow(self);
}

/* ---- in a thread that waits for the lock ---- */

/* The transaction because of which the thread has waited for the serial lock, of those that were recorded since
 * itm_alone_so_far() returned `before`. `ring` is NULL if none was. */
struct itm_blocker itm_alone_find_blocker(AO_t before);

#endif

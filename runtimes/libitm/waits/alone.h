/* SPDX-License-Identifier: MIT
 *
 * Transactions that run alone, with libitm's serial lock: all others wait for them. Each of them, measured or not,
 * records itself in its ring, and adds 1 to itm_alone_count, at the latest when its commit or cancel is called. So a
 * thread that has waited for the lock finds out how many had the lock meanwhile, and which was the first.
 *
 * It is only then that a transaction is known to run alone: a transaction that is not measured does not return to the
 * agent when it becomes irrevocable by a write, or starves: libitm has rolled it back too often, and runs it alone.
 * Hardware transactions that fall back are an exception: they are recorded as soon as they have the lock (hardware.h).
 *
 * Invariants:  only the thread that holds the serial lock stores itm_alone_count, the number of transactions that were
 *              recorded;
 *              the `alone` of a ring has the number of the last one of its owner, or 0.
 * Partners: itm_alone_record() releases; itm_alone_snapshot() and itm_alone_find_blocker() acquire.
 */
#ifndef ITM_ALONE_H
#define ITM_ALONE_H

#include "holder.h"
#include "libitm_layout.h"
#include "others.h"
#include "thread.h"

/* After more failed attempts than this, libitm takes the serial lock alone. */
#define ITM_FAILURES_MAX 100

extern volatile AO_t itm_alone_count __attribute__((visibility("hidden")));

/* ---- who runs alone ---- */

/* The calling thread asks to run alone, at `place`. This may restart the transaction, so it is noted before. */
static inline void itm_alone_request(struct itm_ring *ring, uintptr_t place, enum itm_way way)
{
	AO_store(&ring->alone.requested, AO_load(&ring->left) + 1);
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

/* Finds out whether the calling thread's transaction runs alone, and records it if it does. */
void itm_alone_record_at_end_slow(struct itm_thread *self);

/* The calling thread's transaction is about to end. While its dispatch object is that of ml_wt it does not run alone.
 */
static inline void itm_alone_record_at_end(struct itm_thread *self)
{
	if (STMLOG_UNLIKELY(itm_dispatch() != itm_locks.dispatch))
		itm_alone_record_at_end_slow(self);
}

/* ---- who waits for it ---- */

/* What a thread knows of the lock's holders before it waits. */
struct itm_alone_snapshot {
	AO_t count;
	struct itm_blocker holder; /* the transaction that has the lock, if it is recorded already */
};

struct itm_alone_snapshot itm_alone_snapshot(void);

/* The transaction because of which the thread has waited for the serial lock. `ring` is NULL if none was recorded. */
struct itm_blocker itm_alone_find_blocker(const struct itm_alone_snapshot *seen);

#endif

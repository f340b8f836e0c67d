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

#include <stmlog/agent.h>

#include "libitm_layout.h"
#include "others.h"
#include "ring.h"
#include "thread.h"

/* After more failed attempts than this, libitm takes the serial lock alone. */
#define ITM_FAILURES_MAX 100

extern volatile AO_t itm_alone_count __attribute__((visibility("hidden")));

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

/* The calling thread's transaction is about to end: records it if it runs alone. While its dispatch object is that of
 * ml_wt it does not. */
static inline void itm_alone_record_at_end(struct itm_thread *self)
{
	if (STMLOG_UNLIKELY(itm_dispatch() != itm_locks.dispatch))
		itm_alone_record_at_end_slow(self);
}

/* ---- in a thread that waits for the lock ---- */

/* What a thread knows of the lock's holders before it waits. */
struct itm_alone_snapshot {
	AO_t count;
	struct itm_blocker holder; /* the transaction that has the lock, if it is recorded already */
};

/* To be called before a wait for the serial lock. */
struct itm_alone_snapshot itm_alone_snapshot(void);

/* The transaction because of which the thread has waited for the serial lock. `ring` is NULL if none was recorded. */
struct itm_blocker itm_alone_find_blocker(const struct itm_alone_snapshot *seen);

/* ---- the holder of the lock beside hardware transactions ---- */

/* The holder stores its ring in itm_holder after it has got the lock, and removes it before it releases the lock. So
 * the thread named there holds the lock. For some tens of nanoseconds at either end the lock is held and no thread is
 * named. Without hardware transactions no thread is named.
 *
 * Invariant: itm_holder is the ring of the thread that holds the lock, or 0.
 * Partners: itm_holder_set() releases, itm_holder_find() acquires. The holder's ring has had the site of its
 * transaction stored before. */
extern volatile AO_t itm_holder __attribute__((visibility("hidden"))); /* struct itm_ring * */

/* The ring of the thread that holds the lock; NULL: no thread is named. */
static inline const struct itm_ring *itm_holder_ring(void)
{
	return (const struct itm_ring *)AO_load_acquire(&itm_holder);
}

/* `ring` is the calling thread's, which has got the lock; NULL: it is about to release the lock. */
static inline void itm_holder_set(const struct itm_ring *ring)
{
	AO_store_release(&itm_holder, (AO_t)ring);
}

/* The number of the thread that holds the lock, and where its transaction began. 0: no thread is named, or the holder
 * or its site has changed meanwhile. */
static inline uint32_t itm_holder_find(uintptr_t *site)
{
	const struct itm_ring *ring = itm_holder_ring();
	if (ring == NULL)
		return 0;
	uint32_t thread = (uint32_t)AO_load(&ring->thread);
	*site = itm_ring_site(ring);
	AO_nop_read();
	bool is_same = AO_load_acquire(&itm_holder) == (AO_t)ring && itm_ring_site(ring) == *site;
	return is_same ? thread : 0;
}

/* Makes the result of itm_holder_find() the other side of *loss; does nothing if `holder` or `site` is 0. */
void itm_holder_name(uint32_t holder, uintptr_t site, enum stmlog_grade grade, struct stmlog_loss *loss);

#endif

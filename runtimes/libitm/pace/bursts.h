/* SPDX-License-Identifier: MIT
 *
 * Bursts: the times in which the program calls the agent's hooks as data barriers. The hooks cost something for each
 * access of each transaction, measured or not, but their records are needed only while transactions are measured
 * closely: a victim needs those of its own accesses, and of all other threads' writes. So for most of the time the
 * program calls libitm's own functions, directly; and transactions are measured closely in bursts. Transactions that
 * are only timed need no data barriers, and are timed all the time.
 *
 * A burst takes one part in ITM_BURST_WEIGHT of the time, at a position that differs from period to period. A thread
 * finds out when it reads the clock anyway, and points the slots of all modules (slots.h) at the other functions. It
 * does so between two transactions of its own, and is the only thread to make system calls for it.
 *
 * A burst ends late if a transaction is under way that is measured closely, but not much later: where threads wait for
 * a processor, there would always be one. Then the burst is cut: that transaction is measured without data barriers
 * from there on.
 *
 * Invariants:  while a thread's ring says is_burst, all slots point at the hooks;
 *              is_whole  =>  all writes of all transactions under way have been recorded. A transaction that began
 *              before the slots were changed may have made writes that are recorded nowhere. So a burst is whole once
 *              all transactions are over that were under way then;
 *              is_whole  =>  is_ready: transactions are measured closely only in a burst that is ready.
 *
 * In a crowd a burst is ready before it is whole: some of the transactions that were under way wait for a processor
 * longer than a burst lasts. If such a transaction is in the way, its lock tells its thread, but not its write.
 *
 * Where all transactions are measured closely, there is one burst that never ends. It begins when a second thread
 * transacts: a thread that is alone has no culprits, and calls libitm's own functions.
 *
 * Without bursts the hooks are called all the time, and the records are whole.
 */
#ifndef ITM_BURSTS_H
#define ITM_BURSTS_H

#include <stdbool.h>
#include <stdint.h>

#include <atomic_ops.h>

#include "ring.h"

/* Losses that are found in bursts are multiplied by ITM_BURST_WEIGHT: bursts take one part in so many of the time.
 * Nothing is measured in off phases (phases.h), so there are no bursts in these, and a quarter more in the rest. */
#define ITM_BURST_WEIGHT 32
#define ITM_BURST_PERIOD_NS UINT64_C(32000000)
#define ITM_BURST_OF(period_ns) ((period_ns) / ITM_BURST_WEIGHT * 5 / 4)

/* When there are bursts: never; as the clock says; or one, which begins with the second thread. */
enum itm_bursts_use { ITM_BURSTS_NONE, ITM_BURSTS_REGULAR, ITM_BURSTS_ONE };

/* `is_due`: it is time for a burst. Where threads wait long for a processor, a burst may have to stay open much longer
 * for a transaction that is measured. No other one is measured in it then: there would always be one more. */
struct itm_bursts {
	volatile AO_t use, is_open, is_due, is_whole, is_ready; /* `use`: enum itm_bursts_use */
};
extern struct itm_bursts itm_bursts __attribute__((visibility("hidden")));

/* Decides when there are bursts. Before the first transaction. `processors`: as itm_is_crowd(). */
void itm_bursts_prepare(enum itm_bursts_use use, uint32_t processors);

/* There are no bursts any more: the data barriers are the hooks from now on. Not within a transaction's hooks. */
void itm_bursts_disable(void);

/* Whether there are bursts now. A thread that is alone has no culprits: it measures without data barriers. */
static inline bool itm_bursts_are_used(void)
{
	return AO_load(&itm_bursts.use) == ITM_BURSTS_REGULAR && itm_rings_are_several();
}

/* Whether transactions that begin now can be measured closely. */
static inline bool itm_bursts_is_on(void)
{
	return AO_load(&itm_bursts.is_open) != 0 && AO_load(&itm_bursts.is_ready) != 0 &&
	       AO_load(&itm_bursts.is_due) != 0;
}

/* Where there is one burst or none: whether the slots point where they should. Then itm_bursts_look() would change
 * nothing, with one exception: it ends the burst when the thread has been alone for some time. */
static inline bool itm_bursts_are_settled(void)
{
	return itm_bursts_is_on() || (!AO_load(&itm_bursts.is_open) && !itm_rings_are_several());
}

/* To be called between two transactions of the calling thread, after reading the clock: begins or ends a burst if it is
 * time for that. `is_wanted`: the thread measures each of its transactions closely, and asks for a burst that lasts
 * until it no longer does. */
void itm_bursts_look(uint64_t now_ns, bool is_wanted);

/* The thread's transaction is about to begin another attempt, has lost much time, and was only timed so far. Opens a
 * burst that may last for its next attempts, `for_ns`, unless such bursts have taken their part of the time. */
void itm_bursts_ask(struct itm_ring *ring, uint64_t now_ns, uint64_t for_ns);

/* Likewise for a transaction that starves, however little time it has lost. Changing the slots takes as long as some of
 * its attempts, so the threads together get such a burst ten times a second at most. Returns whether it has asked for
 * one. */
bool itm_bursts_ask_starving(struct itm_ring *ring, uint64_t now_ns);

/* A closely measured transaction of the ring's owner begins, or is over. Returns whether it has data barriers; they
 * stay until it is over, or its burst is cut. */
bool itm_bursts_enter(struct itm_ring *ring);
void itm_bursts_leave(struct itm_ring *ring);

/* Of such a transaction, which had data barriers: whether it has none any more. */
static inline bool itm_bursts_was_cut(const struct itm_ring *ring)
{
	return AO_load(&itm_bursts.use) == ITM_BURSTS_REGULAR && !AO_load(&ring->is_burst);
}

/* Around fork(): no other thread is changing the slots when the process is copied, nor holds the loader's lock for
 * that. */
void itm_bursts_before_fork(void);
void itm_bursts_after_fork(void);

#endif

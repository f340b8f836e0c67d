/* SPDX-License-Identifier: MIT
 *
 * Transactions that have called `retry`, and sleep until a TVar changes that they have read. They hold neither an OS
 * thread nor a lane, but a *slot*, whose number is the mark of their TRec. When such a transaction wakes up it keeps
 * the slot until it commits, so that it is known whether the wake was futile: whether it calls `retry` again.
 *
 * Slots are allocated and freed under a lock. Otherwise a slot belongs to its transaction. Functions with a slot
 * require a mark with MARK_SLOT that blocked_begin() has returned.
 */
#ifndef GHC_BLOCKED_H
#define GHC_BLOCKED_H

#include "capability.h"

/* The transaction falls asleep on this capability. `slot`: the one that it has, or 0. `every`: of its lane (lane.h), or
 * 0. Returns its slot, with MARK_SLOT; 0: there is none. */
uint32_t blocked_begin(struct ghc_capability *mine, uint32_t slot, struct tb_site site, uint32_t every);

/* An attempt of the transaction begins, so it is awake. Returns the present time if it was marked as asleep until this
 * call, else 0. */
uint64_t blocked_wake(uint32_t slot);

/* The interval with which the transaction was sampled: then its attempts are measured after it has woken up. 0: it was
 * not sampled. */
uint32_t blocked_every(uint32_t slot);

/* Whether each transaction that was woken in vain as often as this one is measured after it has woken up
 * (late_is_watched()). */
bool blocked_is_watched(uint32_t slot);

/* Whether its attempts are measured after it has woken up, for either reason. */
bool blocked_is_measured_next(uint32_t slot);

/* Reports to the library who has woken it: a transaction that begins at this site. */
void blocked_woken_by(struct ghc_capability *mine, uint32_t slot, struct tb_site waker);

/* Reports to the library that nothing can wake it any more. It is ended next. */
void blocked_is_for_ever(struct ghc_capability *mine, uint32_t slot);

/* When it has fallen asleep last, on the library's clock. */
uint64_t blocked_since_ns(uint32_t slot);

/* How often attempts have failed since it has woken up, for late_count(); the caller may change it. */
uint32_t *blocked_failures(uint32_t slot);

/* The wake was spurious: all that it has read has the same values, as the RTS has found. It sleeps again at once. */
void blocked_again(struct ghc_capability *mine, uint32_t slot);

/* The number of spurious wakes in this process, of the sleeps that were reported. Any thread. */
uint64_t blocked_spurious(void);

/* The transaction has committed, or was ended, awake or not. */
void blocked_end(struct ghc_capability *mine, uint32_t slot);

/* In a forked child, in which the RTS ends all transactions that sleep: no sleep so far is reported. */
void blocked_after_fork(void);

#endif

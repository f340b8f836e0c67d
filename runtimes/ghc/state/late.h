/* SPDX-License-Identifier: MIT
 *
 * Transactions that are measured late. Few transactions may have most of the loss, and a sample misses them. So each
 * transaction is measured from the attempt on that follows its N-th failed one. It stands for itself from there on. A
 * sampled transaction stands for others up to its N-th failure only, and for itself from there on, too: so the time of
 * all later attempts is known, and is not estimated besides.
 *
 * N is 2. It is doubled where measuring late takes too much of a capability's time. A transaction's N is the one that
 * its capability has at the transaction's first failure. So it depends on other transactions only, and estimates are
 * right on average.
 *
 * Likewise for transactions that sleep, and are woken in vain: each is measured behind its N-th futile wake and some
 * further ones (LATE_WAKES). It may be woken for as long as the program runs, so later ones are left to the sample.
 */
#ifndef GHC_LATE_H
#define GHC_LATE_H

#include "rts.h"
#include "sampling.h"

/* The `failures` of a transaction: in the lower half the number of failed attempts, in the upper half N; 0: none has
 * failed. */
enum { LATE_SHIFT = 16, LATE_COUNT = (1 << LATE_SHIFT) - 1 };

#define LATE_AFTER_MIN 2
#define LATE_AFTER_MAX 64

/* One more attempt has failed. */
static inline uint32_t late_count(const struct ghc_capability *mine, uint32_t failures)
{
	if (failures == 0)
		failures = mine->late_after << LATE_SHIFT;
	return failures + ((failures & LATE_COUNT) != LATE_COUNT);
}

static inline uint32_t late_failed(uint32_t failures)
{
	return failures & LATE_COUNT;
}

/* Whether the next attempt is measured. */
static inline bool late_is_due(uint32_t failures)
{
	return late_failed(failures) >= failures >> LATE_SHIFT;
}

/* Behind how many futile wakes each transaction is measured. */
#define LATE_WAKES 16

/* Whether each transaction with so many futile wakes, counted by late_count(), is measured until it sleeps again. */
static inline bool late_is_watched(uint32_t futile)
{
	return futile != 0 && late_is_due(futile) && late_failed(futile) < (futile >> LATE_SHIFT) + LATE_WAKES;
}

/* An attempt of a transaction that is not measured, and has no slot, has failed. `mark`: of that attempt. Returns the
 * mark of the next one. As long as there are such attempts, stubs.S must look at marks. */
static inline uint32_t late_mark(const struct ghc_capability *mine, uint32_t mark)
{
	if (mark == 0)
		watch_add(WATCH_OTHER);
	return late_count(mine, mark & ~MARK_FAILED) | MARK_FAILED;
}

/* There is no such attempt of the transaction any more. `mark`: of the last attempt, measured or not. */
static inline void late_forget(uint32_t mark)
{
	if ((mark & (MARK_SLOT | MARK_FAILED)) == MARK_FAILED)
		watch_add(-WATCH_OTHER);
}

/* An attempt that was measured late is over. Doubles N of later transactions if such attempts take too much time. */
void late_note(struct ghc_capability *mine, uint32_t accesses, uint64_t now_ns);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Chooses the transactions that are measured: one in N of each capability, at random when it begins. N is the option
 * `sample`, or with sample=auto the number with which measuring takes a small share of the capability's time, and at
 * least eight where it has many transactions. Also those that fail often, from a later attempt on. And how many things
 * there are, such as measured transactions, for which hooks must look closely.
 */
#ifndef GHC_SAMPLING_H
#define GHC_SAMPLING_H

#include "capability.h"
#include "xorshift.h"

/* ---- what hooks must look closely for ---- */

/* How many things there are for which hooks must look closely. While there is none, no attempt is measured or is about
 * to be, and no transaction sleeps: then the mark of each TRec is 0, and a hook has hardly anything to do.
 *
 * In the lower half: lanes that are in use. In the upper half: sleeping transactions, and capabilities of which the
 * next transaction will be measured, or the next attempt must be seen. The upper half has 1 more as long as the hooks
 * are not set. Any thread; and stubs.S: it looks no further as long as this is 0, and otherwise at what concerns its
 * own capability and its own attempt. */
extern volatile AO_t watched;
extern bool watch_is_constant; /* watch_always() was called */

#define WATCH_LANE ((AO_t)1)
#define WATCH_OTHER ((AO_t)1 << 32)

/* Whether an attempt is measured, or may be. Without one, no attempt looks for a culprit. */
static inline bool watch_has_lanes(void)
{
	return (uint32_t)AO_load(&watched) != 0;
}

/* Whether another attempt than the caller's is measured, or a transaction sleeps, or anything else is counted in the
 * upper half: a transaction that the caller wakes may have to find it. */
static inline bool watch_has_others(void)
{
	return AO_load(&watched) > WATCH_LANE;
}

static inline void watch_add(AO_t what)
{
	AO_fetch_and_add(&watched, what);
}

/* From now on an attempt may be measured at any time. So lanes and flags are not counted, for all capabilities at once
 * would change the same word for each transaction. Instead the upper half has whatever may run an attempt beside the
 * caller's (watch_rival()). */
void watch_always(void);

/* There is one more capability than one, or one more Haskell thread that has stopped in a measured attempt; or one
 * less.
 */
static inline void watch_rival(bool is_there)
{
	if (watch_is_constant)
		watch_add(is_there ? WATCH_OTHER : -WATCH_OTHER);
}

/* A lane comes into use, or is free again. */
static inline void watch_lane(bool is_in_use)
{
	if (!watch_is_constant)
		watch_add(is_in_use ? WATCH_LANE : -WATCH_LANE);
}

/* A lane comes into use, and a flag that is set and counted in the upper half is cleared: both by one atomic addition.
 */
static inline void watch_lane_for(bool *flag)
{
	if (!watch_is_constant)
		watch_add(WATCH_LANE - WATCH_OTHER);
	*flag = false;
}

/* Sets a flag which is counted in the upper half. */
static inline void watch_set(bool *flag, bool is_set)
{
	if (*flag != is_set && !watch_is_constant)
		watch_add(is_set ? WATCH_OTHER : -WATCH_OTHER);
	*flag = is_set;
}

/* ---- choosing transactions ---- */

/* Reads the option, and measures what reading a clock costs. Called when the library is open. */
void sampling_open(void);

/* Sets the first interval of a capability. Its first transaction is measured with the same probability as any other. */
void sampling_begin(struct ghc_capability *mine);

/* The transaction that begins now is measured; chooses the next one. It lies in the next interval of `every`, anywhere:
 * so each is measured with probability 1/every. */
static inline void sampling_draw(struct ghc_capability *mine)
{
	uint32_t every = mine->every;
	uint32_t at = (uint32_t)((native_random(&mine->random) >> 32) * every >> 32); /* from 0 to every - 1 */
	uint32_t passed = mine->to_pass + at;
	capability_set_due(mine, capability_commits(mine), passed);
	mine->to_pass = every - 1 - at;
	watch_set(&mine->is_due, passed == 0);
}

/* In a forked child, where all counts are 0: the next transaction will be measured, since with it the capability gets
 * its lane. That transaction has the weight of a sampled one, although it was not chosen at random. */
void sampling_after_fork(struct ghc_capability *mine);

/* The next transaction will be measured. */
static inline void sampling_choose_next(struct ghc_capability *mine)
{
	watch_set(&mine->is_due, true);
}

/* A transaction has committed that was not measured: counts it. */
static inline void sampling_pass_committed(struct ghc_capability *mine)
{
	AO_t left = AO_load(&mine->left) - 1;
	AO_store(&mine->left, left);
	if (STMLOG_UNLIKELY((intptr_t)left <= 0))
		sampling_choose_next(mine);
}

/* A transaction has committed that was not measured, and that sampling_pass() was called for: counts it. */
static inline void sampling_count_committed(struct ghc_capability *mine)
{
	capability_set_due(mine, capability_commits(mine) + 1, AO_load(&mine->left));
}

/* A transaction that was not sampled is over, but not by such a commit: it was measured late, or has not committed, or
 * sleeps. It only counts towards the next transaction that is due. */
void sampling_pass(struct ghc_capability *mine);

/* The interval is chosen anew after so many measured transactions. */
#define SAMPLING_WINDOW 64
void sampling_choose_every(struct ghc_capability *mine);

/* A measured transaction has committed. */
static inline void sampling_note(struct ghc_capability *mine)
{
	if (STMLOG_UNLIKELY(++mine->window_len == SAMPLING_WINDOW))
		sampling_choose_every(mine);
}

/* ---- transactions that are measured late ----
 *
 * Few transactions may have most of the loss, and a sample misses them. So each transaction is measured from the
 * attempt on that follows its N-th failed one. It stands for itself from there on. A sampled transaction stands for
 * others up to its N-th failure only, and for itself from there on, too: so the time of all later attempts is known,
 * and is not estimated besides.
 *
 * N is 2. It is doubled where measuring late takes too much of a capability's time. A transaction's N is the one that
 * its capability has at the transaction's first failure. So it depends on other transactions only, and estimates are
 * right on average.
 *
 * Likewise for transactions that sleep, and are woken in vain: each is measured behind its N-th futile wake and some
 * further ones (LATE_WAKES). It may be woken for as long as the program runs, so later ones are left to the sample.
 */

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

/* SPDX-License-Identifier: MIT
 *
 * Chooses the transactions that are measured: one in N of each capability, at random when it begins. N is the option
 * `sample`, or with sample=auto the number with which measuring takes a small share of the capability's time. And how
 * many things there are, such as measured transactions, for which hooks must look closely.
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

#endif

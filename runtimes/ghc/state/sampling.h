/* SPDX-License-Identifier: MIT
 *
 * Which transactions are measured: one in N of each capability, chosen at random when it begins. N is the option
 * `sample`, or with sample=auto the number with which measuring takes a small share of the capability's time.
 */
#ifndef GHC_SAMPLING_H
#define GHC_SAMPLING_H

#include "capability.h"
#include "xorshift.h"

/* Reads the option, and measures what reading a clock costs. Requires that the library is open. */
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
 * its lane. That one stands for too many others. */
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

/* A transaction that was not sampled is over, but not by such a commit: it was measured late, or has not committed. It
 * only counts towards the next transaction that is due. */
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

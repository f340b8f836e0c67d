/* SPDX-License-Identifier: MIT
 *
 * Which transactions are measured: one in N of each capability, chosen at random when it begins. N is the option
 * `sample`, or with sample=auto the number with which measuring takes a small share of the capability's time.
 */
#ifndef GHC_SAMPLING_H
#define GHC_SAMPLING_H

#include "capability.h"

/* Reads the option, and measures what reading a clock costs. Requires that the library is open. */
void sampling_open(void);

/* Sets the first interval of a capability. Its first transaction is measured with the same probability as any other. */
void sampling_begin(struct ghc_capability *mine);

/* The transaction that begins now is measured; chooses the next one. */
void sampling_draw(struct ghc_capability *mine);

/* In a forked child, where all counts are 0: the next transaction will be measured, since with it the capability gets
 * its lane. That one stands for too many others. */
void sampling_after_fork(struct ghc_capability *mine);

/* The next transaction will be measured. */
void sampling_choose_next(struct ghc_capability *mine);

/* A transaction has ended that was not measured: by a commit, which is counted already, or otherwise. */
static inline void sampling_pass_committed(struct ghc_capability *mine)
{
	if (STMLOG_UNLIKELY(AO_load(&mine->commits) >= mine->due_at))
		sampling_choose_next(mine);
}

static inline void sampling_pass_aborted(struct ghc_capability *mine)
{
	if (mine->due_at != 0)
		mine->due_at--;
	sampling_pass_committed(mine);
}

/* A measured transaction has committed. */
void sampling_note(struct ghc_capability *mine, uint64_t now_ns);

#endif

/* SPDX-License-Identifier: MIT
 * The gaps of a capability (capability.h). */
#ifndef GHC_GAP_H
#define GHC_GAP_H

#include "capability.h"

/* The clock was read: a gap begins. */
static inline void gap_begin(struct ghc_capability *mine, uint64_t now_ns)
{
	mine->gap.since_ns = now_ns;
	mine->gap.commits = capability_commits(mine);
}

/* The clock was read: a gap ends in which no attempt has failed, and the next one begins. */
static inline void gap_end_clean(struct ghc_capability *mine, uint64_t now_ns)
{
	struct ghc_gap *gap = &mine->gap;
	if (gap->since_ns != 0) {
		gap->clean_ns += now_ns - gap->since_ns;
		gap->clean_commits += capability_commits(mine) - gap->commits;
	}
	gap_begin(mine, now_ns);
}

/* A measured transaction has committed, which capability_commits() does not count. */
static inline void gap_add_commit(struct ghc_capability *mine)
{
	mine->gap.commits--;
}

/* A Haskell thread stops: `tso`, if it is in an attempt that is not measured and may go on at once; else NULL. */
static inline void gap_stop(struct ghc_capability *mine, const struct hs_tso *tso)
{
	mine->gap.stopped = tso;
}

/* A Haskell thread begins to run. If it is another one, it is not known how long none has run. */
static inline void gap_run(struct ghc_capability *mine, const struct hs_tso *tso)
{
	if (mine->gap.stopped == NULL || mine->gap.stopped != tso)
		mine->gap.since_ns = 0;
	mine->gap.stopped = NULL;
}

/* An attempt that is not measured has failed: counts it. */
void gap_count_failed(struct ghc_capability *mine);

#endif

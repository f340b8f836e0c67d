/* SPDX-License-Identifier: MIT
 *
 * Why an attempt failed, and because of whom: the transaction that has written what the attempt had read.
 */
#ifndef GHC_BLAME_H
#define GHC_BLAME_H

#include "lane.h"

/* Reports to the library that the lane's attempt has failed just now. `word`: the runtime's word for the failure;
 * replaced by "MOMENTARY" if no TVar is found that has changed, and blame_commit by "LOCKED" if that TVar was locked.
 * `trec`: any TRec, for hs_is_lock(). Requires entries_note() before the failure, and trace_callers(). */
void blame_lost(struct ghc_lane *lane, const struct hs_trec *trec, const char *word);
extern const char blame_commit[];

/* Reports an abort without a culprit: the program, or another Haskell thread, has ended the attempt; or, with
 * "UNKNOWN", no hook has noticed how it ended. Requires trace_callers(). */
void blame_asked(struct ghc_lane *lane, const char *word);

/* Reports that the transaction has called `retry` and goes to sleep. `fell_asleep_ns`: when it fell asleep the last
 * time; 0: never. If it has slept before, its wake was futile: then the TVar that has woken it gets a number, and the
 * commit that has written this TVar is searched for. Requires trace_callers(). */
void blame_retry(struct ghc_lane *lane, uint64_t fell_asleep_ns);

/* A TVar that another transaction has locked. */
struct locked {
	const struct hs_tvar *tvar;
	uintptr_t lock;   /* the TRec of that transaction */
	uint64_t version; /* the TVar's, read before the lock was seen */
};

/* The attempt is about to wait until the other transaction has committed. stmlog_wait_end() must follow. Requires
 * trace_callers(). */
void blame_pause(struct ghc_lane *lane, const struct locked *locked, const uintptr_t *sites, bool is_write);

#endif

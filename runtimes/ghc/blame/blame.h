/* SPDX-License-Identifier: MIT
 *
 * Why an attempt failed, and because of whom: the transaction that has written what the attempt had read.
 */
#ifndef GHC_BLAME_H
#define GHC_BLAME_H

#include "lane.h"

/* Reports to the library that the lane's attempt has failed just now. `word`: what the RTS was about to do; where it
 * was the commit, the entries tell more. Requires entries_note() before the failure, and trace_callers(). `trec`: any
 * TRec, by which locks are recognised. */
void blame_lost(struct ghc_lane *lane, const struct hs_trec *trec, const char *word);
extern const char blame_commit[];

/* Reports that the program, or another Haskell thread, has ended the attempt. Requires trace_callers(). */
void blame_asked(struct ghc_lane *lane, const char *word);

/* Reports that the transaction has called `retry` and sleeps. `woken_since_ns`: when it had fallen asleep before, if
 * this makes its last wake futile; then the TVar that has woken it gets a number, and the commit that has written it is
 * looked for. 0: it sleeps for the first time. Requires trace_callers(). */
void blame_retry(struct ghc_lane *lane, uint64_t woken_since_ns);

/* A TVar that another transaction has locked. */
struct locked {
	const struct hs_tvar *tvar;
	uintptr_t lock;   /* the TRec of that transaction */
	uint64_t version; /* the TVar's, read before the lock was seen */
};

/* The attempt is about to wait until the other transaction has committed. stmlog_pause_end() must follow. Requires
 * trace_callers(). */
void blame_pause(struct ghc_lane *lane, const struct locked *locked, const uintptr_t *sites, bool is_write);

#endif

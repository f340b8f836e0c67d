/* SPDX-License-Identifier: MIT
 *
 * Why an attempt failed, and because of whom: the transaction that has written what the attempt had read.
 */
#ifndef GHC_BLAME_H
#define GHC_BLAME_H

#include "lane.h"
#include "real.h"

/* Reports to the library that the lane's attempt has failed just now. `word`: the runtime's word for the failure;
 * replaced by "MOMENTARY" if no TVar is found that has changed, and blame_commit by "LOCKED" if that TVar was locked.
 * `trec`: any TRec, for hs_is_lock(). Requires entries_note() before the failure, and trace_callers(). */
void blame_lost(struct ghc_lane *lane, const struct hs_trec *trec, const char *word);
extern const char blame_commit[];

/* Reports an abort without a culprit: the program, or another Haskell thread, has ended the attempt; or, with
 * "UNKNOWN", no hook has noticed how it ended. Requires trace_callers(). */
void blame_asked(struct ghc_lane *lane, const char *word);

/* Reports that the transaction has called `retry` and goes to sleep. `is_futile`: it has slept before. Then the TVar
 * that has woken it gets a number, and lane->wake has the commit. Requires trace_callers(). */
void blame_retry(struct ghc_lane *lane, bool is_futile);

/* The transaction that sleeps with this TRec is about to wake up: finds the commit that has woken it, the first one
 * that has written one of its TVars since it fell asleep. It is certain. Returns false if it is not known. Requires
 * the threaded RTS, and entries_keep_versions() when the transaction fell asleep. */
bool blame_waker(struct hs_trec *trec, uint64_t fell_asleep_ns, struct ring_wake *wake);

/* A TVar that another transaction has locked. */
struct locked {
	const struct hs_tvar *tvar;
	uintptr_t lock;   /* the TRec of that transaction */
	uint64_t version; /* the TVar's, read before the lock was seen */
};

/* The attempt is about to wait until the other transaction has committed. stmlog_wait_end() must follow. Requires
 * trace_callers(). */
void blame_pause(struct ghc_lane *lane, const struct locked *locked, const uintptr_t *sites, bool is_write);

/* ---- eventlog.c ---- */

/* The program's own eventlog, which GHC's RTS writes with the option -l: losses of measured transactions are user
 * messages there, beside what Haskell threads do. An RTS without an eventlog has none of this. */

/* Writes "stm abort INVALID transfer: savings (TVar #1 of Types.I#), 1234 ns": the event, the word, the
 * transaction's name, the object and the time of the attempt; the name and the object are left out where they are not
 * known. To be called by the OS thread that holds capability_held.real. */
void eventlog_write(const struct ghc_lane *lane, const char *event, const struct stmlog_loss *loss);

/* The attempt of the lane has ended. Costs two loads if there is no eventlog. To be called as above. */
static inline void eventlog_tell(const struct ghc_lane *lane, const char *event, const struct stmlog_loss *loss)
{
	if (STMLOG_UNLIKELY(
		    ghc_real.eventlog_is_on != NULL && *ghc_real.eventlog_is_on && ghc_real.user_message != NULL))
		eventlog_write(lane, event, loss);
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * Why an attempt failed, and because of whom: which of its entries has changed, and the transaction that has written
 * what the attempt had read.
 */
#ifndef GHC_BLAME_H
#define GHC_BLAME_H

#include "lane.h"
#include "real.h"

/* ---- the entries of an attempt that may fail now ----
 *
 * A failed commit gives the TRec's chunks back, which breaks the links between them, but leaves their entries. So the
 * chunks are noted before.
 */

/* Notes the chunks of the TRec and of those around it: mostly there is one chunk. */
void entries_note_all(struct ghc_lane *lane, struct hs_trec *trec);
static inline void entries_note(struct ghc_lane *lane, struct hs_trec *trec)
{
	struct hs_chunk *last = trec->chunk;
	if (STMLOG_UNLIKELY(trec->enclosing != ghc_rts.no_trec || last->previous->info == last->info)) {
		entries_note_all(lane, trec);
		return;
	}
	lane->chunks[0] = last;
	lane->chunks_len = 1;
}

/* How many entries were noted: the TVars that the attempt has accessed, if it has no nested TRec. Also behind a commit,
 * which leaves the entries. */
size_t entries_len(const struct ghc_lane *lane);

/* The transaction of the TRec has just fallen asleep, again or for the first time: keeps in its entries which versions
 * their TVars have; ENTRIES_NO_VERSION if a TVar has another value already than the one read. Requires the threaded
 * RTS.
 */
#define ENTRIES_NO_VERSION (~(uint64_t)0)
void entries_keep_versions(struct hs_trec *trec);

/* Why an attempt failed: a TVar that has not the expected value any more. */
struct changed {
	struct hs_tvar *tvar; /* NULL: none; the RTS has seen a lock which is free again */
	bool was_locked;      /* by a transaction that was about to commit */
};

/* Finds one among the noted entries. If several have changed, each of them is found with the same chance: a long
 * attempt fails because of all of them, and the one that it has read first would be blamed for all such failures. If
 * none has changed, waits for a moment for a transaction that is committing to one. `trec`: any TRec, by which locks
 * are recognised. */
struct changed entries_changed(struct ghc_lane *lane, const struct hs_trec *trec);

/* ---- why an attempt failed ---- */

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

/* ---- messages in the program's own eventlog ----
 *
 * GHC's RTS writes it with the option -l: losses of measured transactions are user messages there, beside what Haskell
 * threads do. An RTS without an eventlog has none of this.
 */

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

/* SPDX-License-Identifier: MIT
 *
 * The entries of an attempt that may fail now. A failed commit gives the TRec's chunks back, which breaks the links
 * between them, but leaves their entries. So the chunks are noted before.
 */
#ifndef GHC_ENTRIES_H
#define GHC_ENTRIES_H

#include "lane.h"

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

#endif

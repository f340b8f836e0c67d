/* SPDX-License-Identifier: MIT
 *
 * A capability's latest commits and what they wrote, where attempts on other capabilities look for their culprit. Only
 * the OS thread that holds the capability appends; readers do not disturb it.
 *
 * A commit is appended before the RTS is asked to commit, while the entries of its TRec still say what it will write.
 * Afterwards it is marked as done or as withdrawn. What it wrote is found by the address of the TVar, and distinguished
 * from other commits by its version: the TVar's count of updates after the commit. The RTS that is not threaded counts
 * none; there a version is the position of the commit in the only ring.
 *
 * Invariants: the commits in [tail, head) and their writes are complete, and stay until `claimed` has passed them by
 * the ring's size; the addresses of their TVars are right, since the garbage collector's moves are followed (tvars.c).
 * Partners: ring_begin() and ring_add() store `claimed` before they overwrite;
 * ring_publish() stores head (release) behind that. Readers load head (acquire) first and `claimed` last, behind a read
 * barrier.
 */
#ifndef GHC_RING_H
#define GHC_RING_H

#include <stdbool.h>
#include <stdint.h>

#include <atomic_ops.h>

#include "rts.h"

/* Of a commit with more than RING_WRITES_OF_COMMIT writes, only the first ones are recorded. */
#define RING_COMMITS 1024
#define RING_WRITES 4096
#define RING_WRITES_OF_COMMIT 1024
#define RING_SITES 4
#define RING_CALLERS 6

/* The commit is pending, or the clock was not read when it was finished. */
#define RING_NO_STAMP (~(AO_t)0)

enum ring_state { RING_PENDING, RING_DONE, RING_WITHDRAWN };

struct ring_commit {
	volatile AO_t state;
	volatile AO_t stamp; /* when it was finished, in nanoseconds of the library's clock; or RING_NO_STAMP */
	volatile AO_t trec;  /* address */
	volatile AO_t lane;  /* number of the lane's thread in reports; 0: not known */
	volatile AO_t code;  /* of the transaction: an address */
	volatile AO_t callers[RING_CALLERS]; /* 0: no more */
	volatile AO_t haskell;               /* twice the number of the Haskell thread; plus 1: it has a label */
	volatile AO_t has_more;              /* 1: it has more writes than are recorded */
};

struct ring_write {
	volatile AO_t tvar; /* 0: it has died */
	volatile AO_t version;
	volatile AO_t commit;            /* position */
	volatile AO_t sites[RING_SITES]; /* innermost first; 0: no more */
};

struct ring {
	volatile AO_t claimed, head, tail;         /* positions of commits */
	volatile AO_t writes_claimed, writes_head; /* positions of writes */
	struct ring_commit commits[RING_COMMITS];
	struct ring_write writes[RING_WRITES];
	volatile AO_t labels[RING_COMMITS][HS_LABEL_WORDS]; /* of the commits' Haskell threads, where they have one */
};

/* ---- owner ---- */

/* Begins a commit. Then come calls of ring_add(). */
struct ring_commit *ring_begin(struct ring *ring, uintptr_t trec);
/* Adds a write to the commit that was begun. Returns it, with sites that are all 0; NULL if the commit has
 * RING_WRITES_OF_COMMIT already. Requires ring_begin(). */
struct ring_write *ring_add(struct ring *ring, uintptr_t tvar, uint64_t version);
/* Whether the commit that was begun has any write. Without one it is not published. */
bool ring_has_writes(const struct ring *ring);
/* Lets other threads find the commit that was begun. Requires ring_has_writes(). */
void ring_publish(struct ring *ring);
/* Whether the commit that was published last has more writes than are recorded. */
bool ring_is_short(const struct ring *ring);
/* Marks the commit that was published last. `stamp`: may be RING_NO_STAMP. A search then passes this commit, whenever
 * it was finished. Requires that it is pending. */
void ring_finish(struct ring *ring, enum ring_state state, uint64_t stamp);

/* ---- any thread ---- */

/* A write of a TVar, copied with its commit. */
struct ring_found {
	uint64_t version;
	enum ring_state state;
	uint32_t lane;
	uintptr_t code;
	uintptr_t callers[RING_CALLERS];
	uintptr_t sites[RING_SITES];
	uint64_t haskell;
	struct hs_label label;
	bool is_cut; /* a ring does not reach back to `since`, or a commit since then has more writes than are recorded
		      */
};

/* The commit that has woken a transaction, and the TVar that it has written; 0: not known, or it has died. */
struct ring_wake {
	uintptr_t tvar;
	struct ring_found waker;
};

/* Finds the write of the TVar with the lowest version above `version`, by a commit that was not withdrawn and was
 * finished after `since`. Improves `found`, and returns true, if it is lower than that of `found`. */
bool ring_search(const struct ring *ring, uintptr_t tvar, uint64_t version, uint64_t since, struct ring_found *found);

/* Finds the write of the TVar by the owner's latest commit, if that is the one with this TRec and has a version above
 * `version`: TRecs are used again, by later commits of the owner, which are recorded only while an attempt is measured,
 * and after a collection by other capabilities. */
bool ring_holder(const struct ring *ring, uintptr_t tvar, uintptr_t trec, uint64_t version, struct ring_found *found);

#endif

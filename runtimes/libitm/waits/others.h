/* SPDX-License-Identifier: MIT
 *
 * The transactions of other threads that a wait inside libitm is for: which were under way when the wait began, and
 * which of them ended it: by calling commit, or by being rolled back. Their rings (ring.h) tell both. The
 * waiting thread looks at them twice: directly before it calls the entry that may wait, and when the wait is over. It
 * delays only itself, except for the moment that a committing transaction holds its locks longer. Where all
 * transactions are measured closely, each commit would do so, and take each other thread's line from its cache: there
 * it looks only once, when it has waited, and finds the first look's result in what the rings tell of the past.
 *
 * A transaction that has called commit reads no more, and libitm's commits do not wait for each other. So a commit
 * waits for none that was in commit at the first look, unless that one's own commit failed. To become irrevocable, a
 * transaction waits for those, too. runtimes/libitm/NOTES.txt, "Waits inside libitm", has the argument for the grades.
 */
#ifndef ITM_OTHERS_H
#define ITM_OTHERS_H

#include <stmlog/agent.h>
#include <stmlog/read.h>

#include "ring.h"

/* How often itm_others_snapshot() has left rings out. Any thread adds to it. */
extern volatile AO_t itm_others_cut;

/* 1: a thread waits for several transactions, so each transaction stores a time stamp when it calls commit. Any thread
 * stores it, by itm_others_request_stamps(); a store that is lost costs only the order of some commits. */
extern volatile AO_t itm_others_want_stamps __attribute__((visibility("hidden")));
void itm_others_request_stamps(bool is_wanted);

/* The words of a thread's ring at one moment. */
struct itm_moment {
	AO_t site, completed, rollbacks, context;
};

/* What the first look has found. The rings are those from `first` on, in the order of their list. */
struct itm_others {
	const struct itm_ring *first;
	uint64_t started; /* time stamp */
	uint64_t ended;   /* time stamp of the second look */
	uint32_t len;     /* rings looked at, the own one included */
	uint32_t running; /* transactions under way that had not called commit */
	bool is_cut;      /* there were more rings, or looking back did not find all that were under way */
	struct itm_moment rings[ITM_RINGS_LOOK_MAX];
};

/* A transaction that was waited for. */
struct itm_blocker {
	const struct itm_ring *ring; /* NULL: none was found */
	uintptr_t site;              /* where it began */
	uint32_t context;            /* the callers of `site`, in the ring's tree; 0: not known */
	uintptr_t place;             /* where it became irrevocable; 0: where it began, or it did not */
	enum itm_way way;            /* how it came to run alone */
	enum stmlog_grade grade;
	uint64_t ended;    /* time stamp when it called commit, if it ran alone; 0: not known */
	bool is_preempted; /* it or the waiting thread had no processor for half of the wait or more */
	bool is_long;      /* not seen to be preempted, but as long as such waits, and not because it slept */
};

/* The first look: notes the words of all rings but `own`, the calling thread's. */
void itm_others_snapshot(struct itm_others *others, const struct itm_ring *own);

/* The second look, when the wait is over: finds the transaction that was waited for. `waits_for_committing`: the wait
 * was also for transactions in commit. The grade is certain if only one can have been waited for, else candidate: the
 * last one that has called commit or was rolled back. */
struct itm_blocker itm_others_find_blocker(
	struct itm_others *others, const struct itm_ring *own, bool waits_for_committing);

/* Instead of both looks, when a commit's wait is over. Requires others->started and `ended`: the time stamps of the
 * wait. When it began the clock showed `began_ns`. What the first look would have found is found out from the rings.
 * Where that is impossible, since rings tell of the latest transactions only, and only of closely measured ones,
 * nothing is certain. */
struct itm_blocker itm_others_look_back(struct itm_others *others, const struct itm_ring *own, uint64_t began_ns);

/* The wait is over, or there was none: commits need not store a time stamp any more. */
static inline void itm_others_release_stamps(struct itm_others *others)
{
	if (STMLOG_LIKELY(others->running <= 1))
		return;
	others->running = 0;
	itm_others_request_stamps(false);
}

/* ---- interrupted.c ---- */

/* The calling thread, whose ring is `own`, has waited since the time stamp `from`, for about `ns`. Of several
 * transactions that were interrupted meanwhile, finds the one that was off the processor for the longest time. If there
 * was none, finds the transaction under way, if it is the only one. The grade is certain if only one other thread
 * transacts, and was off the processor for half of the wait or more; else candidate. `ring` is NULL if none was
 * found. */
struct itm_blocker itm_interrupted_find_blocker(const struct itm_ring *own, uint64_t from, uint64_t ns);

/* The calling thread has waited for the ring's owner since the time stamp `from`, for about `ns`. Whether the owner has
 * noticed since then that it had no processor for half of that time or more, in a transaction or its commit, without a
 * sleep. Looks for that for a 64th of the time at most. */
bool itm_interrupted_is_preempted(const struct itm_ring *ring, uint64_t from, uint64_t ns);

/* Whether the owner has noticed by now that it was off the processor for so long because it slept in a transaction. */
bool itm_interrupted_has_slept(const struct itm_ring *ring, uint64_t from, uint64_t ns);

/* ---- open.c ---- */

/* As stmlog_setup.find_open. */
size_t itm_open_find(struct stmlog_open_transaction *open, size_t max, void *unused);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Whom did this attempt lose to? Asked by the victim alone, after the attempt is over and
 * rolled back, in the rings of all other threads: reading them disturbs nobody but it.
 *
 * libitm says only that a lock was held by another, or that something read has changed
 * since. NOTES 11, "Who", has the argument for each grade:
 *   certain    the one lock it ran into was written under by one other thread alone at
 *              that time: nobody else can have held it
 *   candidate  somebody wrote to what it had read, or to the lock it ran into, after it began,
 *              but another one may have too
 *   unknown    nobody is on record
 * That nobody had it although all that was written at the time is on record means that the
 * attempt has lost against itself.
 */
#ifndef ITM_CULPRIT_H
#define ITM_CULPRIT_H

#include <stmlog/stmlog.h>

#include "ranges.h"
#include "ring.h"

/* What the lock of a range was seen to be while the victim's transaction still kept libitm from giving its locks
 * back. address 0: it was not looked at; lock NULL: nobody else held it. */
struct itm_seen {
	uintptr_t address;
	const volatile AO_t *lock;
	uintptr_t holder;
};

/* The first lock of the range that another one than `own` holds. */
struct itm_seen itm_culprit_look(const volatile AO_t *table, uint32_t factor, struct itm_range range, uintptr_t own);

/* The attempt that failed. */
struct itm_victim {
	const struct itm_ring *ring; /* its own */
	uint64_t began;              /* stamp */
	uint32_t factor;             /* of the lock hash, on the victim's side */
	struct itm_seen seen;
};

struct itm_culprit {
	enum stmlog_grade grade;
	bool is_nobody; /* grade unknown: the attempt has lost against itself */
	const struct itm_ring *ring;
	bool is_under_way;         /* its transaction was, when it was found ... */
	const volatile AO_t *lock; /* which it held when it was found; NULL: that cannot be seen */
	uint64_t ended;            /* ... and this was where the ring's last one had ended */
	uint32_t thread;
	uintptr_t site; /* begin's return address */
	struct itm_write write;
	struct itm_range mine; /* what the victim touched */
	enum stmlog_overlap overlap;
};

/* Who held the lock of `range`. `word`: what that lock held just before libitm looked at it; 0: not seen. */
struct itm_culprit itm_culprit_of_lock(const struct itm_victim *victim, struct itm_range range, AO_t word);

/* Who has written to the stripes of `range`. `freed`: the commit count at which the lock was last given back, if it
 * was seen free; 0: it was not. `is_of_reads`: the range was read, and its lock not necessarily met. */
struct itm_culprit itm_culprit_search(
	const struct itm_victim *victim, struct itm_range range, uint64_t freed, bool is_of_reads);

/* True if the culprit found before for the same range was it the whole time since, for certain: its transaction goes
 * on, and it alone could have been then, or had the lock then and was seen to have it now. */
bool itm_culprit_holds_still(struct itm_culprit *culprit, struct itm_range range, const struct itm_seen *seen);

#endif

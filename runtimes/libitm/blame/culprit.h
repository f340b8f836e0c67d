/* SPDX-License-Identifier: MIT
 *
 * The transaction that a failed attempt lost against. The victim searches for it after the attempt was rolled back, in
 * the rings of all other threads, and delays only itself.
 *
 * libitm tells only that another transaction held a lock, or that a read is out of date.
 * runtimes/libitm/NOTES.txt, "Culprits", has the argument for each grade:
 *
 *   certain    only one other thread can have held the lock that the access needed
 *   candidate  after the attempt began, the transaction wrote under that lock, or to data that the attempt had read;
 *              but another transaction may have done so, too
 *   unknown    no such write is recorded
 *
 * If no such write is recorded although the rings go back far enough, the attempt needed a lock that it held itself.
 *
 * All functions are called by the victim's own thread.
 */
#ifndef ITM_CULPRIT_H
#define ITM_CULPRIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/read.h>

#include "libitm_layout.h"
#include "ring.h"
#include "thread.h"

/* ---- the bytes of an access, and how two accesses overlap ---- */

struct itm_range {
	uintptr_t address;
	size_t size;
};

/* The bytes of an entry in the list of reads. */
static inline struct itm_range itm_read_range(const struct itm_read *read)
{
	return (struct itm_range){
		read->access & ITM_RING_ADDRESS, (read->access >> ITM_READ_SIZE_SHIFT) ^ ITM_READ_SIZE};
}

static inline uintptr_t itm_first_stripe(struct itm_range range)
{
	return itm_stripe(range.address);
}

static inline uintptr_t itm_last_stripe(struct itm_range range)
{
	return itm_stripe(range.address + (range.size != 0 ? range.size - 1 : 0));
}

static inline bool has_lock(struct itm_range range, uint32_t lock)
{
	for (uintptr_t stripe = itm_first_stripe(range); stripe <= itm_last_stripe(range); stripe++)
		if (itm_lock_of_stripe(stripe) == lock)
			return true;
	return false;
}

/* True if a stripe of `mine` and a stripe of `theirs` have one lock. Nearly always each has one stripe. */
static inline bool itm_ranges_share_lock(struct itm_range mine, struct itm_range theirs)
{
	for (uintptr_t stripe = itm_first_stripe(mine); stripe <= itm_last_stripe(mine); stripe++)
		if (has_lock(theirs, itm_lock_of_stripe(stripe)))
			return true;
	return false;
}

/* How two ranges overlap whose accesses have conflicted. If they have no stripe in common, it was by a lock of two
 * stripes. */
static inline enum stmlog_overlap itm_overlap(struct itm_range mine, struct itm_range theirs)
{
	if (mine.address < theirs.address + theirs.size && theirs.address < mine.address + mine.size)
		return STMLOG_OVERLAP_SAME;
	if (itm_first_stripe(mine) <= itm_last_stripe(theirs) && itm_first_stripe(theirs) <= itm_last_stripe(mine))
		return STMLOG_OVERLAP_STRIPE;
	return STMLOG_OVERLAP_ALIAS;
}

static inline struct itm_range itm_range_of(const struct itm_write *write)
{
	return (struct itm_range){write->address, write->size};
}

/* ---- the search ---- */

/* A range's lock and its holder, as seen while the victim's transaction was under way and so libitm's locks could be
 * read. address 0: no lock was looked at. lock NULL: no other thread held it. */
struct itm_seen {
	uintptr_t address;
	const volatile AO_t *lock;
	uintptr_t holder;
};

/* Looks for the first lock of the range that another thread holds. `table` is libitm's locks: requires that they can be
 * read (itm_locks_in_use()). `own` is libitm's struct of the calling thread. */
struct itm_seen itm_culprit_look(const volatile AO_t *table, struct itm_range range, uintptr_t own);

/* The attempt that failed. */
struct itm_victim {
	const struct itm_ring *ring; /* its own ring */
	uint64_t began;              /* the stamp (stamp.h) when it began */
	struct itm_seen seen;
	bool is_in_part; /* other transactions may have made writes that are in no ring (bursts.h) */
};

struct itm_culprit {
	enum stmlog_grade grade;
	bool is_nobody; /* grade unknown: no other transaction was in the way */
	const struct itm_ring *ring;
	bool is_under_way;         /* its transaction was still under way when it was found */
	const volatile AO_t *lock; /* the lock that it held when it was found; NULL: that could not be seen */
	uint64_t ended;            /* the ring's `ended` when it was found */
	uint32_t thread;
	uintptr_t site;         /* begin's return address */
	struct itm_write write; /* all zero: it is not recorded */
	struct itm_range mine;  /* the victim's access */
	uintptr_t mine_site; /* return address of the read that is out of date; 0: the access that failed is `mine` */
	enum stmlog_overlap overlap;
};

/* The holder of the lock of `range`. `word`: the lock's contents directly before libitm looked at it; 0: not seen. */
struct itm_culprit itm_culprit_of_lock(const struct itm_victim *victim, struct itm_range range, AO_t word);

/* The likeliest transaction of those that have written under a lock of `range` since the victim began. `freed`: the
 * commit count at which the lock was last released, if it was seen free; otherwise 0. `is_of_reads`: the range was
 * read, and the access that failed need not be about its lock. */
struct itm_culprit itm_culprit_search(
	const struct itm_victim *victim, struct itm_range range, uint64_t freed, bool is_of_reads);

/* True if the culprit that was found before, for the same range, is certainly the culprit again: its transaction is
 * still under way; and its grade was certain, or it held the lock then and holds it now. Then culprit->grade becomes
 * certain. */
bool itm_culprit_holds_still(struct itm_culprit *culprit, struct itm_range range, const struct itm_seen *seen);

/* The reads of an attempt, in their order. */
struct itm_reads {
	const struct itm_read *items;
	size_t len;
	bool is_cut; /* the list was full: there may have been more reads */
};

/* The transaction that has written to data which the attempt had read: a candidate at most. `scratch` is ITM_LOCKS
 * bits, all clear before and afterwards. */
struct itm_culprit itm_culprit_of_reads(const struct itm_victim *victim, struct itm_reads reads, uint64_t *scratch);

#endif

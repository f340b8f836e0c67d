/* SPDX-License-Identifier: MIT
 *
 * Finds the transaction that has written to data which a failed attempt had read. libitm tells that a read is out of
 * date, but not which one. So the locks of all writes that other threads have made since the victim began are marked in
 * a set, and the victim's reads are looked up in it, in their order.
 */
#include "culprit.h"

#include <string.h>

#include "ring_walk.h"

/* The locks under which other threads have written since the victim began. */
struct changes {
	uint64_t *scratch;
	size_t locks; /* in the set */
	bool is_all;  /* the rings reached back far enough */
};

static void mark(struct changes *changes, struct itm_range range)
{
	for (uintptr_t stripe = itm_first_stripe(range); stripe <= itm_last_stripe(range); stripe++) {
		uint32_t lock = itm_lock_of_stripe(stripe);
		uint64_t *word = &changes->scratch[lock / 64], bit = (uint64_t)1 << lock % 64;
		changes->locks += (*word & bit) == 0;
		*word |= bit;
	}
}

static bool is_marked(const struct changes *changes, struct itm_range range)
{
	for (uintptr_t stripe = itm_first_stripe(range); stripe <= itm_last_stripe(range); stripe++) {
		uint32_t lock = itm_lock_of_stripe(stripe);
		if (changes->scratch[lock / 64] >> lock % 64 & 1)
			return true;
	}
	return false;
}

static struct changes mark_all(const struct itm_victim *victim, uint64_t *scratch)
{
	struct changes changes = {scratch, 0, !victim->is_in_part};
	for (const struct itm_ring *ring = itm_ring_first(); ring != NULL; ring = itm_ring_next(ring)) {
		if (ring == victim->ring)
			continue;
		struct itm_ring_walk walk = itm_ring_walk_begin(ring, victim->began);
		while (itm_ring_walk_back(&walk))
			mark(&changes, itm_range_of(&walk.reader.write));
		changes.is_all = changes.is_all && !walk.is_cut && itm_ring_walk_was_right(&walk, walk.reader.position);
	}
	return changes;
}

/* Two unrelated stripes may have the same lock by chance. If so much was read and written that such a pair is to be
 * expected in one case of twenty or more, a pair means nothing. */
static bool is_chance(const struct changes *changes, struct itm_reads reads)
{
	return changes->locks * reads.len * 20 > ITM_LOCKS;
}

/* libitm checks reads in their order, and fails at the first one that has changed. This search does the same, but an
 * alias, which may be chance, comes after all others. */
static struct itm_culprit first_changed(
	const struct itm_victim *victim, struct itm_reads reads, const struct changes *changes, bool *has_found)
{
	enum { MAX = 16 };
	struct itm_culprit alias = {.ring = NULL};
	unsigned found = 0;
	*has_found = false;
	for (size_t i = 0; i < reads.len && found < MAX; i++) {
		struct itm_range read = itm_read_range(&reads.items[i]);
		if (!is_marked(changes, read))
			continue;
		found++;
		*has_found = true;
		struct itm_culprit culprit = itm_culprit_search(victim, read, 0, true);
		culprit.mine_site = reads.items[i].site;
		if (culprit.ring != NULL && culprit.overlap != STMLOG_OVERLAP_ALIAS)
			return culprit;
		if (alias.ring == NULL)
			alias = culprit;
	}
	if (is_chance(changes, reads))
		alias = (struct itm_culprit){.ring = NULL};
	return alias;
}

static struct itm_culprit find_change(const struct itm_victim *victim, struct itm_reads reads, uint64_t *scratch)
{
	struct changes changes = mark_all(victim, scratch);
	bool has_found;
	struct itm_culprit culprit = first_changed(victim, reads, &changes, &has_found);
	memset(scratch, 0, ITM_LOCKS / 8);
	culprit.grade = culprit.ring != NULL ? STMLOG_GRADE_CANDIDATE : STMLOG_GRADE_UNKNOWN;
	culprit.is_nobody = !has_found && changes.is_all && !reads.is_cut;
	return culprit;
}

/* A transaction that ended with the stamp of the victim's begin has either committed before the victim began, or
 * aborted afterwards: an abort does not raise the count of commits. The victim may have needed a lock of the aborted
 * transaction. So transactions that ended with later stamps are tried first, and then those with this stamp. */
struct itm_culprit itm_culprit_of_reads(const struct itm_victim *victim, struct itm_reads reads, uint64_t *scratch)
{
	const struct itm_victim later = {
		.ring = victim->ring, .began = victim->began + 1, .is_in_part = victim->is_in_part};
	struct itm_culprit culprit = find_change(&later, reads, scratch);
	return culprit.ring != NULL ? culprit : find_change(victim, reads, scratch);
}

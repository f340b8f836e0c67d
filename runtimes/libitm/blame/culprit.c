/* SPDX-License-Identifier: MIT
 * The holder of a lock, or the transaction that has changed what was read: found by searching the rings of other
 * threads for writes. runtimes/libitm/NOTES.txt, claims C1 to C5, has the argument. */
#include "culprit.h"

#include <string.h>

#include "stamp.h"

/* ---- a walk through a ring ---- */

/* The writes of another thread that may have been in the way of a failed attempt: from the ring's head back to the last
 * transaction that ended before the attempt began. */
struct ring_walk {
	struct itm_ring_reader reader;
	uint64_t head;
	uint64_t began;
	uintptr_t site;    /* where the write's transaction began, if it is over */
	uint64_t stamp;    /* when it ended */
	bool is_under_way; /* it is not over */
	bool is_cut;       /* the ring does not reach back that far */
};

static struct ring_walk walk_begin(const struct itm_ring *ring, uint64_t began)
{
	struct ring_walk walk = {.reader = itm_ring_read(ring), .began = began, .is_under_way = true};
	walk.head = walk.reader.position;
	return walk;
}

/* Goes to the write before; false: there is none that matters. */
static bool walk_back(struct ring_walk *walk)
{
	while (itm_ring_back(&walk->reader)) {
		if (!walk->reader.is_end)
			return true;
		if (walk->reader.stamp < walk->began)
			return false;
		walk->is_under_way = false;
		walk->site = walk->reader.write.site;
		walk->stamp = walk->reader.stamp;
	}
	walk->is_cut = walk->reader.floor > AO_load(&walk->reader.ring->floor);
	return false;
}

/* False: entries from position `from` on may have been overwritten while they were read, or the ring has a new owner.
 */
static bool walk_was_right(const struct ring_walk *walk, uint64_t from)
{
	const struct itm_ring *ring = walk->reader.ring;
	return itm_ring_was_whole(ring, from) && AO_load(&ring->floor) <= from;
}

/* ---- the writes under a lock ---- */

struct search {
	const struct itm_victim *victim;
	struct itm_range range;
	uint64_t now;     /* stamp */
	uint64_t freed;   /* the lock was seen free, and was last released at this count; 0: not seen */
	bool is_of_reads; /* the range was read */
	struct itm_culprit best;
	uint64_t best_stamp;       /* when its transaction ended; UINT64_MAX: it is under way */
	const volatile AO_t *lock; /* the lock that `holder` holds, or NULL */
	uintptr_t holder;          /* libitm's struct of the thread that holds the lock now; 0: none, or not known */
	bool is_holder_seen;
	unsigned threads;    /* that have written there since the victim began */
	unsigned contenders; /* those of them that may have held the lock when the access failed */
	unsigned enders;     /* those contenders whose transaction has ended */
	struct itm_culprit ender;
	bool is_cut;          /* a ring does not reach back to the victim's begin */
	bool is_cut_recently; /* a ring does not even reach back to when the access failed */
};

static bool is_recent(uint64_t stamp, uint64_t now)
{
	return now - stamp <= itm_stamp_recent();
}

/* A write that may have been in the victim's way. */
struct find {
	bool is_found;
	uint64_t position; /* position in the ring */
	uint64_t stamp;    /* when its transaction ended; UINT64_MAX: it is under way */
};

/* Finds the latest transaction of the ring that has written under a lock of the range; and of its writes the one that
 * overlaps the range most. */
static struct find find_write(struct ring_walk *walk, const struct search *search, struct itm_culprit *found)
{
	struct find find = {.is_found = false};
	while (walk_back(walk)) {
		uint64_t stamp = walk->is_under_way ? UINT64_MAX : walk->stamp;
		if (find.is_found && stamp != find.stamp)
			break;
		struct itm_range theirs = itm_range_of(&walk->reader.write);
		if (!itm_ranges_share_lock(search->range, theirs))
			continue;
		enum stmlog_overlap overlap = itm_overlap(search->range, theirs);
		if (find.is_found && overlap >= found->overlap)
			continue;
		find = (struct find){true, walk->reader.position, stamp};
		found->overlap = overlap;
		found->write = walk->reader.write;
		found->site = walk->site;
	}
	return find;
}

/* A transaction under way keeps its locks until it ends. So if the lock can be seen and another thread holds it,
 * the transaction has only tried to lock it, as the victim has. */
static bool is_contender(const struct search *search, const struct itm_ring *ring, uint64_t stamp)
{
	if (stamp != UINT64_MAX)
		return is_recent(stamp, search->now) && (search->freed == 0 || stamp > search->freed);
	return !search->is_holder_seen || AO_load(&ring->holder) == search->holder;
}

static void note_cut(struct search *search, const struct ring_walk *walk)
{
	if (!walk->is_cut && walk_was_right(walk, walk->reader.position))
		return;
	search->is_cut = true;
	search->is_cut_recently |= walk->is_under_way || is_recent(walk->stamp, search->now);
}

/* The transaction that ended last, or is under way, is the likeliest culprit. But for reads, an alias (another stripe
 * with the same lock) may be chance, and comes last. */
static bool is_better(const struct search *search, const struct itm_culprit *found, uint64_t stamp)
{
	bool is_alias = found->overlap == STMLOG_OVERLAP_ALIAS;
	bool was_alias = search->best.overlap == STMLOG_OVERLAP_ALIAS;
	if (search->is_of_reads && is_alias != was_alias)
		return was_alias;
	return stamp > search->best_stamp;
}

/* A transaction of another thread may have been in the way: counts it, and keeps the likeliest. */
static void note_find(struct search *search, const struct itm_culprit *found, uint64_t stamp)
{
	bool is_under_way = stamp == UINT64_MAX, contends = is_contender(search, found->ring, stamp);
	search->threads++;
	search->contenders += contends;
	if (contends && !is_under_way) {
		search->enders++;
		search->ender = *found;
	}
	if (!contends && is_under_way)
		stamp = 0; /* any other transaction is likelier */
	if (search->best.ring == NULL || is_better(search, found, stamp)) {
		search->best = *found;
		search->best_stamp = stamp;
	}
}

static void look_into(struct search *search, const struct itm_ring *ring)
{
	/* Loaded before the head: so if a transaction that is found under way ends later, `ended` will show it. */
	uint64_t ended = AO_load_acquire(&ring->ended);
	struct ring_walk walk = walk_begin(ring, search->victim->began);
	struct itm_culprit found = {.ring = ring, .mine = search->range, .thread = (uint32_t)AO_load(&ring->thread)};
	struct find find = find_write(&walk, search, &found);
	if (find.is_found && find.stamp == UINT64_MAX) {
		found.site = itm_ring_site_at(ring, walk.head);
		found.is_under_way = true;
		found.ended = ended;
		if (search->holder != 0 && search->holder == AO_load(&ring->holder))
			found.lock = search->lock;
	}
	note_cut(search, &walk);
	if (find.is_found && walk_was_right(&walk, find.position))
		note_find(search, &found, find.stamp);
}

/* libitm takes the locks of a range in their order, and fails at the first one that another thread holds. */
struct itm_seen itm_culprit_look(const volatile AO_t *table, struct itm_range range, uintptr_t own)
{
	struct itm_seen seen = {.address = range.address};
	for (uintptr_t stripe = itm_first_stripe(range); stripe <= itm_last_stripe(range) && seen.lock == NULL;
		stripe++) {
		const volatile AO_t *lock = &table[itm_lock_of_stripe(stripe)];
		uintptr_t holder = itm_lock_holder(AO_load(lock));
		if (holder != 0 && holder != own)
			seen = (struct itm_seen){range.address, lock, holder};
	}
	return seen;
}

static void see_holder(struct search *search)
{
	const struct itm_seen *seen = &search->victim->seen;
	search->is_holder_seen = seen->address == search->range.address && !search->is_of_reads;
	if (search->is_holder_seen) {
		search->lock = seen->lock;
		search->holder = seen->holder;
	}
}

static void search_all(struct search *search)
{
	search->now = itm_stamp();
	search->is_cut = search->is_cut_recently = search->victim->is_in_part;
	see_holder(search);
	for (const struct itm_ring *ring = itm_ring_first(); ring != NULL; ring = itm_ring_next(ring))
		if (ring != search->victim->ring)
			look_into(search, ring);
}

/* If the lock was seen free, another transaction took it directly afterwards, and so the access failed. If exactly one
 * contender has ended since, that contender took it. The present holder, if there is one, took the lock later. */
static bool is_sole_ender(const struct search *search)
{
	return search->freed != 0 && search->enders == 1;
}

/* The holder is one of the threads that have written there since the victim began, if the rings reach back that far.
 * And it is one of the contenders, unless the victim was preempted between access and search. */
static bool is_certain(const struct search *search)
{
	if (search->contenders == 1 || is_sole_ender(search))
		return !search->is_cut_recently;
	return search->contenders == 0 && search->threads == 1 && !search->is_cut;
}

bool itm_culprit_holds_still(struct itm_culprit *culprit, struct itm_range range, const struct itm_seen *seen)
{
	if (!culprit->is_under_way || AO_load(&culprit->ring->ended) != culprit->ended ||
		culprit->mine.address != range.address || culprit->mine.size != range.size)
		return false;
	if (culprit->lock != NULL && seen->lock == culprit->lock && seen->holder == AO_load(&culprit->ring->holder))
		culprit->grade = STMLOG_GRADE_CERTAIN;
	return culprit->grade == STMLOG_GRADE_CERTAIN;
}

/* A commit releases its locks some instructions before it appends its end to the ring. A search in between may find
 * several transactions under way, and the lock free. Then it is repeated. */
enum { TRIES = 3 };

static bool is_between(const struct search *search)
{
	return search->threads > 1 && search->contenders == 0 && search->is_holder_seen && search->holder == 0;
}

struct itm_culprit itm_culprit_search(
	const struct itm_victim *victim, struct itm_range range, uint64_t freed, bool is_of_reads)
{
	struct search search;
	int tries = TRIES;
	do {
		search = (struct search){.victim = victim, .range = range, .freed = freed, .is_of_reads = is_of_reads};
		search_all(&search);
	} while (is_between(&search) && --tries > 0);
	if (is_sole_ender(&search))
		search.best = search.ender;
	if (search.threads == 0)
		search.best.is_nobody = !search.is_cut;
	else
		search.best.grade = is_certain(&search) ? STMLOG_GRADE_CERTAIN : STMLOG_GRADE_CANDIDATE;
	return search.best;
}

/* Looks into the ring of the thread that held the lock. False: no write there is recorded, so the word that named the
 * holder is out of date, or the thread is not recorded. */
static bool look_into_holder(struct search *search, uintptr_t holder)
{
	for (const struct itm_ring *ring = itm_ring_first(); ring != NULL; ring = itm_ring_next(ring))
		if (ring != search->victim->ring && AO_load(&ring->holder) == holder)
			look_into(search, ring);
	return search->threads == 1;
}

/* The transaction of the thread that was seen to hold the lock. Its write was made while the thread's data barriers
 * were off (bursts.h), mostly directly before it was taken off the processor, so that many attempts fail at the lock.
 */
static struct itm_culprit holder_without_write(const struct itm_victim *victim, struct itm_range range)
{
	const struct itm_seen *seen = &victim->seen;
	struct itm_culprit nobody = {.ring = NULL};
	if (seen->holder == 0 || seen->address != range.address)
		return nobody;
	for (const struct itm_ring *ring = itm_ring_first(); ring != NULL; ring = itm_ring_next(ring)) {
		AO_t ended = AO_load_acquire(&ring->ended), site = AO_load(&ring->site);
		if (ring == victim->ring || AO_load(&ring->holder) != seen->holder || (site & ITM_RING_IS_OVER))
			continue;
		return (struct itm_culprit){.grade = STMLOG_GRADE_CANDIDATE,
			.ring = ring,
			.is_under_way = true,
			.lock = seen->lock,
			.ended = ended,
			.thread = (uint32_t)AO_load(&ring->thread),
			.site = site & ITM_RING_ADDRESS,
			.mine = range};
	}
	return nobody;
}

static struct itm_culprit search_rings(const struct itm_victim *victim, struct itm_range range, uint64_t freed)
{
	struct itm_culprit found = itm_culprit_search(victim, range, freed, false);
	return found.ring != NULL || found.is_nobody ? found : holder_without_write(victim, range);
}

struct itm_culprit itm_culprit_of_lock(const struct itm_victim *victim, struct itm_range range, AO_t word)
{
	struct search search = {.victim = victim, .range = range, .now = itm_stamp()};
	uintptr_t holder = itm_lock_holder(word);
	if (holder == 0) /* the lock's version is a time only if the commit count is known */
		return search_rings(victim, range, itm_locks.commit_count != NULL ? itm_lock_version(word) : 0);
	if (!look_into_holder(&search, holder))
		return search_rings(victim, range, 0);
	search.best.grade = STMLOG_GRADE_CERTAIN;
	return search.best;
}

/* ---- reads that have changed ---- */

/* libitm tells that a read is out of date, but not which one. So the locks of all writes that other threads have made
 * since the victim began are marked in a set, and the victim's reads are looked up in it, in their order. */

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
		struct ring_walk walk = walk_begin(ring, victim->began);
		while (walk_back(&walk))
			mark(&changes, itm_range_of(&walk.reader.write));
		changes.is_all = changes.is_all && !walk.is_cut && walk_was_right(&walk, walk.reader.position);
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

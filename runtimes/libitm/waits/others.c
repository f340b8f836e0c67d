/* SPDX-License-Identifier: MIT
 * Looks at the rings of all threads before a wait and after it, or after it only, and finds the transaction that was
 * waited for. */
#include "others.h"

#include "plain.h"
#include "requires.h"
#include "ticks.h"

/* Each in a cache line of its own: commits on the slow path load the second one. */
volatile AO_t itm_others_cut __attribute__((aligned(64))), itm_others_want_stamps __attribute__((aligned(64)));

/* Stamps are stored on the slow path only. */
void itm_others_request_stamps(bool is_wanted)
{
	AO_store(&itm_others_want_stamps, is_wanted);
	if (is_wanted)
		itm_plain_pause();
	else
		itm_plain_resume();
}

/* `completed` is loaded before and after `site`. So if it is the same, `site` is of the transaction with that number.
 */
static struct itm_moment moment_of(const struct itm_ring *ring)
{
	struct itm_moment moment;
	do {
		moment.completed = AO_load_acquire(&ring->completed); /* partner: itm_ring_note_end() */
		moment.context = AO_load(&ring->context);
		moment.rollbacks = AO_load(&ring->rollbacks);
		moment.site = AO_load_acquire(&ring->site); /* partner: itm_ring_note_commit() */
	} while (STMLOG_UNLIKELY(AO_load(&ring->completed) != moment.completed));
	return moment;
}

static bool is_under_way(const struct itm_moment *moment)
{
	return !(moment->site & ITM_RING_IS_OVER);
}

static bool is_committing(const struct itm_moment *moment)
{
	return moment->site & ITM_RING_IS_COMMITTING;
}

void itm_others_snapshot(struct itm_others *others, const struct itm_ring *own)
{
	const struct itm_ring *ring = itm_ring_first();
	itm_others_release_stamps(others);
	others->first = ring;
	others->len = others->running = 0;
	for (; ring != NULL && others->len < ITM_RINGS_LOOK_MAX; ring = itm_ring_next(ring)) {
		struct itm_moment *moment = &others->rings[others->len++];
		if (ring == own)
			continue;
		*moment = moment_of(ring);
		others->running += is_under_way(moment) && !is_committing(moment);
	}
	others->is_cut = ring != NULL;
	others->started = itm_ticks_now();
	if (STMLOG_UNLIKELY(others->is_cut))
		AO_fetch_and_add1(&itm_others_cut);
	if (others->running > 1)
		itm_others_request_stamps(true);
}

/* ---- the second look ---- */

/* Another thread, as it was at the first look, and as it is. */
struct other {
	const struct itm_ring *ring;
	struct itm_moment before, now;
};

/* How likely the wait was for the thread's transaction, the likeliest first. */
enum rank {
	WAS_RUNNING,    /* it was under way at the first look, and had not called commit */
	WAS_COMMITTING, /* its commit was called: it may have been checking its reads still */
	HAS_BEGUN,      /* it has begun since, perhaps before the wait */
	WAS_OUTSIDE     /* impossible */
};

static enum rank rank_of(const struct other *other, bool waits_for_committing)
{
	bool has_changed = other->now.completed != other->before.completed || is_under_way(&other->now);
	if (!is_under_way(&other->before))
		return has_changed ? HAS_BEGUN : WAS_OUTSIDE;
	bool has_retried = other->now.rollbacks != other->before.rollbacks;
	return !is_committing(&other->before) || waits_for_committing || has_retried ? WAS_RUNNING : WAS_COMMITTING;
}

/* How often the other thread's transactions have committed, or have called commit; and how often its attempts were
 * rolled back. Each time it lets go of the waiting thread. */
static AO_t times_committed(const struct other *other)
{
	bool has_left = other->now.completed != other->before.completed;
	bool commits = is_committing(&other->now) && (has_left || !is_committing(&other->before));
	return other->now.completed - other->before.completed + commits;
}

static AO_t times_rolled_back(const struct other *other)
{
	return other->now.rollbacks - other->before.rollbacks;
}

static AO_t times_left(const struct other *other)
{
	return times_committed(other) + times_rolled_back(other);
}

/* When the other thread has let go of the waiting thread for the first time since the first look; 0: not known. Stamps
 * are of the last time. Within a transaction a rollback comes before the commit. */
static uint64_t left_at(const struct itm_others *others, const struct other *other)
{
	AO_t commits = times_committed(other), rollbacks = times_rolled_back(other);
	if (commits > 1 || rollbacks > 1 || commits + rollbacks == 0)
		return 0;
	uint64_t stamp = AO_load(rollbacks != 0 ? &other->ring->rollback_stamp : &other->ring->commit_stamp);
	return stamp > others->started ? stamp : 0;
}

/* When the other thread has let go of the waiting thread for the last time; 0: not known. */
static uint64_t left_last_at(const struct other *other)
{
	uint64_t commit = AO_load(&other->ring->commit_stamp), rollback = AO_load(&other->ring->rollback_stamp);
	return commit == 0 || commit > rollback ? commit : rollback;
}

/* How well the end of the wait, now, fits with what the transaction has done since the first look. A wait ends soon
 * after the commit that it was for is called: it only checks its reads first. If a transaction has left long before,
 * one that is still there is likelier: it has noticed the new values and goes on, or was rolled back unseen. */
enum fit { LEFT_BEFORE, IS_THERE, LEFT_NOW };

static enum fit fit_of(const struct itm_others *others, const struct other *other)
{
	enum { CHECKS_MAX = 20000 };
	uint64_t last = left_last_at(other);
	if (times_left(other) == 0)
		return IS_THERE;
	uint64_t ago = last > others->started && last < others->ended ? others->ended - last : 0;
	return ago > CHECKS_MAX && ago > (others->ended - others->started) / 8 ? LEFT_BEFORE : LEFT_NOW;
}

/* Whether `a` is likelier than `b` to have ended the wait: it left later. Without stamps, the one that has left
 * less often since. */
static bool is_later(const struct itm_others *others, const struct other *a, const struct other *b)
{
	enum fit a_fit = fit_of(others, a), b_fit = fit_of(others, b);
	if (a_fit != b_fit)
		return a_fit > b_fit;
	uint64_t a_at = left_at(others, a), b_at = left_at(others, b);
	if (a_at != b_at)
		return a_at > b_at;
	if (times_left(a) != times_left(b))
		return times_left(a) < times_left(b);
	return left_last_at(a) > left_last_at(b);
}

struct search {
	struct other best;
	enum rank rank;
	uint32_t counts[WAS_OUTSIDE];
	bool is_left_by_new; /* a transaction that has begun since has left */
};

static void consider(
	struct search *search, const struct itm_others *others, const struct other *other, bool waits_for_committing)
{
	enum rank rank = rank_of(other, waits_for_committing);
	if (rank == WAS_OUTSIDE)
		return;
	search->counts[rank]++;
	search->is_left_by_new |= rank == HAS_BEGUN && times_left(other) != 0;
	if (rank < search->rank || (rank == search->rank && is_later(others, other, &search->best))) {
		search->best = *other;
		search->rank = rank;
	}
}

/* Only one transaction was under way. If it has not left, either it has let go by noticing the new values, or the wait
 * was for a transaction that has begun meanwhile. */
static bool is_certain(const struct itm_others *others, const struct search *search)
{
	const uint32_t *counts = search->counts;
	if (others->is_cut)
		return false;
	if (search->rank == WAS_RUNNING)
		return counts[WAS_RUNNING] == 1 && (times_left(&search->best) != 0 || !search->is_left_by_new);
	return counts[WAS_COMMITTING] + counts[HAS_BEGUN] == 1;
}

static struct itm_blocker result_of(const struct search *search, const struct itm_others *others)
{
	if (search->rank == WAS_OUTSIDE)
		return (struct itm_blocker){.ring = NULL};
	const struct itm_moment *moment = search->rank == HAS_BEGUN ? &search->best.now : &search->best.before;
	return (struct itm_blocker){
		.ring = search->best.ring,
		.site = moment->site & ITM_RING_ADDRESS,
		.context = (uint32_t)moment->context,
		.grade = is_certain(others, search) ? STMLOG_GRADE_CERTAIN : STMLOG_GRADE_CANDIDATE,
	};
}

struct itm_blocker itm_others_find_blocker(
	struct itm_others *others, const struct itm_ring *own, bool waits_for_committing)
{
	struct search search = {.rank = WAS_OUTSIDE};
	const struct itm_ring *ring = others->first;
	others->ended = itm_ticks_now();
	for (uint32_t i = 0; i < others->len; i++, ring = itm_ring_next(ring)) {
		if (ring == own)
			continue;
		const struct other other = {ring, others->rings[i], moment_of(ring)};
		consider(&search, others, &other, waits_for_committing);
	}
	return result_of(&search, others);
}

/* ---- looking back ---- */

/* Finds the ring's last transaction that had begun by `began_ns`, and its number. False: it is not known. */
static bool find_past(const struct itm_ring *ring, const struct itm_moment *now, uint64_t began_ns, AO_t *number,
	struct itm_ring_past *past)
{
	AO_t oldest = now->completed - ITM_RING_PAST;
	for (*number = now->completed - !is_under_way(now); *number != oldest; --*number)
		if (itm_ring_find_past(ring, *number, past) && past->began_ns <= began_ns)
			return true;
	return false;
}

/* What a first look would have found of a transaction that is over by now. */
static struct itm_moment moment_of_past(
	struct itm_others *others, const struct itm_ring_past *past, AO_t number, struct itm_moment over)
{
	struct itm_moment before = over;
	if (past->left != 0 && past->left <= others->started)
		return over;
	others->is_cut = others->is_cut || past->left == 0 || past->called == 0;
	before.completed = number;
	before.site = past->site;
	before.context = past->context;
	if (past->called <= others->started)
		before.site |= ITM_RING_IS_COMMITTING;
	return before;
}

/* What a first look would have found in the ring at others->started, when the clock showed `began_ns`. */
static struct itm_moment moment_before(
	struct itm_others *others, const struct itm_ring *ring, struct itm_moment now, uint64_t began_ns)
{
	struct itm_moment over = now;
	struct itm_ring_past past;
	AO_t number;
	over.site |= ITM_RING_IS_OVER;
	if (now.completed == 0 && !is_under_way(&now))
		return over;
	now.rollbacks -= AO_load(&ring->rollback_stamp) > others->started;
	over.rollbacks = now.rollbacks;
	if (!find_past(ring, &now, began_ns, &number, &past)) {
		others->is_cut = true;
		return over;
	}
	if (number != now.completed)
		return moment_of_past(others, &past, number, over);
	others->is_cut = others->is_cut || (is_committing(&now) && past.called == 0);
	if (past.called > others->started)
		now.site &= ~ITM_RING_IS_COMMITTING;
	return now;
}

/* All lines that a look reads, at the same time: each comes from another processor's cache. */
static void prefetch(const struct itm_ring *ring)
{
	_Static_assert(sizeof ring->past == 160, "three lines");
	__builtin_prefetch((const void *)&ring->site);
	__builtin_prefetch((const void *)&ring->past[0]);
	__builtin_prefetch((const void *)&ring->past[ITM_RING_PAST / 2]);
	__builtin_prefetch((const void *)&ring->past[ITM_RING_PAST - 1].context);
}

struct itm_blocker itm_others_look_back(struct itm_others *others, const struct itm_ring *own, uint64_t began_ns)
{
	struct search search = {.rank = WAS_OUTSIDE};
	const struct itm_ring *ring = itm_ring_first();
	REQUIRES(others->started <= others->ended);
	others->is_cut = false;
	for (uint32_t len = 0; ring != NULL && len < ITM_RINGS_LOOK_MAX; ring = itm_ring_next(ring), len++) {
		if (ring == own)
			continue;
		prefetch(ring);
		struct itm_moment now = moment_of(ring);
		const struct other other = {ring, moment_before(others, ring, now, began_ns), now};
		consider(&search, others, &other, false);
	}
	others->is_cut = others->is_cut || ring != NULL;
	return result_of(&search, others);
}

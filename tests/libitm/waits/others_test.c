/* SPDX-License-Identifier: MIT
 * Which transaction a wait was for, in rings that are written by hand. */

#include "fake_clock.h"
#include "libitm_layout.h"
#include "others.h"
#include "plain.h"
#include "test.h"

enum { OTHERS = 3 };

static struct itm_ring *own, *rings[OTHERS];
static struct itm_others others;
static const long dispatch;
/* The wait began at this time stamp, when the clock showed that. Rings keep what earlier tests have done. */
static uint64_t started = (uint64_t)1 << 60, clock_then = 0;

static void set_up(void)
{
	started += 1 << 30;
	clock_then += 1 << 30;
	fake_clock_set(clock_then);
	own = itm_ring_acquire(1);
	for (uint32_t i = 0; i < OTHERS; i++)
		rings[i] = itm_ring_acquire(2 + i);
	itm_locks.dispatch = &dispatch;
	itm_plain_prepare();
	itm_others_request_stamps(false);
}

static void tear_down(void)
{
	itm_ring_release(own);
	for (uint32_t i = 0; i < OTHERS; i++)
		itm_ring_release(rings[i]);
}

static const struct test_fixture fixture = {set_up, tear_down};

/* ---- what threads do ---- */

static void begin_at(struct itm_ring *ring, uintptr_t site, uint64_t now_ns)
{
	AO_store(&ring->site, site);
	itm_ring_note_begin(ring, site, now_ns);
}

static void begin(struct itm_ring *ring, uintptr_t site)
{
	begin_at(ring, site, 0);
}

static void commit(struct itm_ring *ring, uint64_t stamp)
{
	itm_ring_note_measured_commit(ring, stamp);
	itm_ring_note_left(ring, stamp + 1);
	itm_ring_note_end(ring);
}

static void transact(struct itm_ring *ring, uintptr_t site)
{
	begin(ring, site);
	commit(ring, 0);
}

static void look(void)
{
	itm_others_snapshot(&others, own);
}

static void begin_two_and_look(void)
{
	begin(rings[0], 0x222);
	begin(rings[1], 0x333);
	look();
}

static void assert_is(struct itm_blocker blocker, struct itm_ring *ring, uintptr_t site, enum stmlog_grade grade)
{
	assert_ptr_equal(blocker.ring, ring);
	assert_int_equal(blocker.site, site);
	assert_int_equal(blocker.grade, grade);
}

static void assert_waited_for(struct itm_ring *ring, uintptr_t site, enum stmlog_grade grade)
{
	assert_is(itm_others_find_blocker(&others, own, false), ring, site, grade);
	itm_others_release_stamps(&others);
}

/* ---- claims ---- */

TEST_WITH(fixture, where_no_other_transacts_nobody_is_waited_for)
{
	begin(own, 0x100);
	transact(rings[0], 0x200);
	look();
	assert_int_equal(others.running, 0);
	assert_null(itm_others_find_blocker(&others, own, false).ring);
	assert_null(itm_others_find_blocker(&others, own, true).ring);
}

TEST_WITH(fixture, the_only_one_inside_is_certain_when_it_has_left)
{
	begin(rings[1], 0x222);
	look();
	assert_int_equal(others.running, 1);
	commit(rings[1], 0);
	transact(rings[1], 0x333); /* has gone on since */
	assert_waited_for(rings[1], 0x222, STMLOG_GRADE_CERTAIN);
}

TEST_WITH(fixture, the_only_one_inside_is_certain_while_it_is_leaving)
{
	begin(rings[1], 0x222);
	look();
	itm_ring_note_commit(rings[1], 0);
	assert_waited_for(rings[1], 0x222, STMLOG_GRADE_CERTAIN);
	itm_ring_note_end(rings[1]);
}

/* It has noticed the new values and gone on. */
TEST_WITH(fixture, the_only_one_inside_is_certain_even_if_it_stays)
{
	begin(rings[1], 0x222);
	look();
	assert_waited_for(rings[1], 0x222, STMLOG_GRADE_CERTAIN);
	look();
	transact(rings[0], 0x444); /* perhaps this one began before the wait */
	assert_waited_for(rings[1], 0x222, STMLOG_GRADE_CANDIDATE);
	commit(rings[1], 0);
}

TEST_WITH(fixture, of_several_the_last_to_leave_is_a_candidate)
{
	for (size_t last = 0; last < 2; last++) {
		begin_two_and_look();
		assert_int_equal(others.running, 2);
		assert_int_equal(AO_load(&itm_others_want_stamps), 1);
		assert_int_not_equal(AO_load(&itm_plain.dispatch), itm_scramble(&dispatch));
		commit(rings[0], others.started + (last == 0 ? 1500 : 1000));
		commit(rings[1], others.started + (last == 1 ? 1500 : 1000));
		assert_waited_for(rings[last], last == 0 ? 0x222 : 0x333, STMLOG_GRADE_CANDIDATE);
		assert_int_equal(AO_load(&itm_others_want_stamps), 0);
		assert_int_equal(AO_load(&itm_plain.dispatch), itm_scramble(&dispatch));
	}
}

TEST_WITH(fixture, without_stamps_the_one_that_has_left_less_often_since_left_last)
{
	begin_two_and_look();
	commit(rings[0], 0);
	commit(rings[1], 0);
	transact(rings[0], 0x222);
	assert_waited_for(rings[1], 0x333, STMLOG_GRADE_CANDIDATE);
}

/* The stamp is of a later commit than the one that was waited for. */
TEST_WITH(fixture, the_stamp_of_a_later_transaction_does_not_count)
{
	begin_two_and_look();
	commit(rings[0], 0);
	begin(rings[0], 0x222);
	commit(rings[0], others.started + 9000);
	commit(rings[1], others.started + 1000);
	assert_waited_for(rings[1], 0x333, STMLOG_GRADE_CANDIDATE);
}

/* It was rolled back, and has a new snapshot. */
TEST_WITH(fixture, one_that_left_long_before_the_wait_ended_is_less_likely_than_a_stayer)
{
	begin_two_and_look();
	fake_clock_advance((uint64_t)1 << 40);
	commit(rings[1], others.started + 1000);
	assert_waited_for(rings[0], 0x222, STMLOG_GRADE_CANDIDATE);
	begin(rings[1], 0x333);
	commit(rings[1], others.started + 2000); /* nor is it if it has left twice */
	assert_waited_for(rings[0], 0x222, STMLOG_GRADE_CANDIDATE);
	commit(rings[0], 0);
}

TEST_WITH(fixture, a_stayer_is_less_likely_than_one_that_has_left)
{
	begin_two_and_look();
	commit(rings[1], 0);
	assert_waited_for(rings[1], 0x333, STMLOG_GRADE_CANDIDATE);
	commit(rings[0], 0);
}

TEST_WITH(fixture, one_that_is_rolled_back_lets_go)
{
	begin_two_and_look();
	commit(rings[0], others.started + 1000);
	itm_ring_note_rollback(rings[1], others.started + 2000);
	assert_waited_for(rings[1], 0x333, STMLOG_GRADE_CANDIDATE);
	commit(rings[1], 0);
}

/* The waiting thread was preempted, and looks late. */
TEST_WITH(fixture, the_first_rollback_counts_and_not_the_commit_after_it)
{
	begin_two_and_look();
	commit(rings[0], others.started + 2000);
	itm_ring_note_rollback(rings[1], others.started + 1000);
	commit(rings[1], others.started + 3000);
	assert_waited_for(rings[0], 0x222, STMLOG_GRADE_CANDIDATE);
	begin_two_and_look();
	commit(rings[0], others.started + 1000);
	itm_ring_note_rollback(rings[1], others.started + 2000);
	commit(rings[1], others.started + 3000);
	assert_waited_for(rings[1], 0x333, STMLOG_GRADE_CANDIDATE);
}

/* Commits do not wait for each other: two that have written wait for the same reader. */
TEST_WITH(fixture, one_that_was_committing_is_not_in_the_way)
{
	begin(rings[0], 0x222);
	begin(rings[1], 0x333);
	itm_ring_note_commit(rings[0], 0);
	look();
	assert_int_equal(others.running, 1);
	commit(rings[1], 0);
	itm_ring_note_end(rings[0]);
	assert_waited_for(rings[1], 0x333, STMLOG_GRADE_CERTAIN);
}

TEST_WITH(fixture, one_whose_commit_failed_may_have_been_in_the_way)
{
	begin(rings[0], 0x222);
	begin(rings[1], 0x333);
	itm_ring_note_commit(rings[0], 0);
	look();
	commit(rings[1], 0);
	itm_ring_note_commit(rings[0], others.started + 1000); /* once more: so it was rolled back before */
	itm_ring_note_end(rings[0]);
	assert_waited_for(rings[1], 0x333, STMLOG_GRADE_CANDIDATE);
}

/* The agent's undo action tells that a measured transaction was rolled back. */
TEST_WITH(fixture, a_rolled_back_one_is_not_leaving)
{
	begin(rings[0], 0x222);
	itm_ring_note_commit(rings[0], 0);
	itm_ring_note_rollback(rings[0], 0);
	look();
	assert_int_equal(others.running, 1);
	commit(rings[0], 0);
	itm_ring_note_rollback(rings[0], 0); /* a cancel is undone after it has left */
	assert_waited_for(rings[0], 0x222, STMLOG_GRADE_CERTAIN);
	assert_int_equal(itm_ring_site(rings[0]), 0x222);
}

TEST_WITH(fixture, who_becomes_irrevocable_waits_for_committing_ones_too)
{
	begin(rings[0], 0x222);
	itm_ring_note_commit(rings[0], 0);
	look();
	itm_ring_note_end(rings[0]);
	struct itm_blocker blocker = itm_others_find_blocker(&others, own, true);
	assert_ptr_equal(blocker.ring, rings[0]);
	assert_int_equal(blocker.grade, STMLOG_GRADE_CERTAIN);
}

TEST_WITH(fixture, one_that_has_begun_since_is_better_than_nobody)
{
	look();
	transact(rings[2], 0x555);
	assert_waited_for(rings[2], 0x555, STMLOG_GRADE_CERTAIN);
	look();
	transact(rings[2], 0x555);
	begin(rings[1], 0x666);
	assert_waited_for(rings[2], 0x555, STMLOG_GRADE_CANDIDATE);
	commit(rings[1], 0);
}

TEST_WITH(fixture, its_callers_are_those_at_the_first_look)
{
	AO_store(&rings[1]->context, 12);
	begin(rings[1], 0x222);
	look();
	commit(rings[1], 0);
	AO_store(&rings[1]->context, 13);
	begin(rings[1], 0x222);
	assert_int_equal(itm_others_find_blocker(&others, own, false).context, 12);
	commit(rings[1], 0);
}

/* ---- looking back ---- */

static struct itm_blocker look_back(void)
{
	others.started = started;
	others.ended = started + 10;
	return itm_others_look_back(&others, own, clock_then);
}

static void assert_found_back(struct itm_ring *ring, uintptr_t site, enum stmlog_grade grade)
{
	assert_is(look_back(), ring, site, grade);
}

TEST_WITH(fixture, looking_back_finds_nobody_where_all_were_over)
{
	for (uint32_t i = 0; i < OTHERS; i++) {
		begin_at(rings[i], 0x222, clock_then - 1);
		commit(rings[i], started - 1000000);
	}
	assert_null(look_back().ring);
	assert_int_equal(AO_load(&itm_others_want_stamps), 0);
}

TEST_WITH(fixture, looking_back_the_only_one_that_was_inside_is_certain)
{
	begin_at(rings[1], 0x222, clock_then);
	assert_found_back(rings[1], 0x222, STMLOG_GRADE_CERTAIN); /* it stays */
	itm_ring_note_measured_commit(rings[1], started + 1);
	assert_found_back(rings[1], 0x222, STMLOG_GRADE_CERTAIN); /* leaves */
	itm_ring_note_left(rings[1], started + 2);
	itm_ring_note_end(rings[1]);
	assert_found_back(rings[1], 0x222, STMLOG_GRADE_CERTAIN); /* has left */
	begin_at(rings[1], 0x333, clock_then + 1);
	assert_found_back(rings[1], 0x222, STMLOG_GRADE_CERTAIN); /* has gone on */
	commit(rings[1], started + 1);
}

TEST_WITH(fixture, looking_back_its_callers_are_those_it_began_with)
{
	AO_store(&rings[1]->context, 12);
	begin_at(rings[1], 0x222, clock_then);
	assert_int_equal(look_back().context, 12);
	AO_store(&rings[1]->context, 0);
	commit(rings[1], started + 1);
	assert_int_equal(look_back().context, 12);
	AO_store(&rings[1]->context, 13);
	begin_at(rings[1], 0x222, clock_then + 1);
	assert_int_equal(look_back().context, 12);
	commit(rings[1], started + 1);
}

TEST_WITH(fixture, looking_back_one_that_is_still_in_commit_was_not_in_the_way)
{
	begin_at(rings[0], 0x222, clock_then);
	begin_at(rings[1], 0x333, clock_then);
	itm_ring_note_measured_commit(rings[0], started);
	itm_ring_note_measured_commit(rings[1], started + 1);
	assert_found_back(rings[1], 0x333, STMLOG_GRADE_CERTAIN);
	itm_ring_note_left(rings[1], started + 2);
	itm_ring_note_end(rings[1]);
	itm_ring_note_left(rings[0], started + 2);
	itm_ring_note_end(rings[0]);
	assert_found_back(rings[1], 0x333, STMLOG_GRADE_CERTAIN);
}

TEST_WITH(fixture, looking_back_one_that_began_since_is_better_than_nobody)
{
	begin_at(rings[0], 0x222, clock_then);
	commit(rings[0], started - 1000000);
	begin_at(rings[0], 0x333, clock_then + 1);
	assert_found_back(rings[0], 0x333, STMLOG_GRADE_CERTAIN);
	commit(rings[0], started + 1);
}

/* It may have been checking its reads. */
TEST_WITH(fixture, looking_back_one_that_was_in_commit_is_better_than_nobody)
{
	begin_at(rings[0], 0x222, clock_then);
	commit(rings[0], started);
	assert_found_back(rings[0], 0x222, STMLOG_GRADE_CERTAIN);
	begin_at(rings[0], 0x222, clock_then);
	commit(rings[0], started - 1);
	assert_null(look_back().ring);
}

/* Its time stamp is read when it has left. */
TEST_WITH(fixture, looking_back_one_that_has_only_read_was_in_the_way_until_it_left)
{
	begin_at(rings[0], 0x222, clock_then);
	itm_ring_note_measured_commit(rings[0], ITM_RING_LATER);
	assert_found_back(rings[0], 0x222, STMLOG_GRADE_CERTAIN); /* leaves */
	itm_ring_note_reader_left(rings[0], started + 1);
	itm_ring_note_end(rings[0]);
	assert_found_back(rings[0], 0x222, STMLOG_GRADE_CERTAIN); /* has left */
	begin_at(rings[0], 0x222, clock_then);
	itm_ring_note_measured_commit(rings[0], ITM_RING_LATER);
	itm_ring_note_reader_left(rings[0], started);
	itm_ring_note_end(rings[0]);
	assert_null(look_back().ring); /* had left before */
}

TEST_WITH(fixture, looking_back_the_one_that_left_last_is_the_candidate_though_it_has_only_read)
{
	begin_at(rings[0], 0x222, clock_then);
	begin_at(rings[1], 0x333, clock_then);
	commit(rings[1], started + 1);
	itm_ring_note_measured_commit(rings[0], ITM_RING_LATER);
	assert_found_back(rings[0], 0x222, STMLOG_GRADE_CANDIDATE); /* leaves */
	itm_ring_note_reader_left(rings[0], started + 2);
	itm_ring_note_end(rings[0]);
	assert_found_back(rings[0], 0x222, STMLOG_GRADE_CANDIDATE);
}

TEST_WITH(fixture, looking_back_one_that_was_cancelled_since_was_in_the_way)
{
	begin_at(rings[0], 0x222, clock_then);
	itm_ring_note_measured_cancel(rings[0], started + 1);
	itm_ring_note_end(rings[0]);
	assert_found_back(rings[0], 0x222, STMLOG_GRADE_CERTAIN);
}

TEST_WITH(fixture, looking_back_nobody_is_certain_beside_one_whose_past_is_not_known)
{
	begin_at(rings[1], 0x333, clock_then);
	begin_at(rings[0], 0x222, clock_then);
	itm_ring_note_end(rings[0]); /* when it left is not known */
	look_back();
	assert_true(others.is_cut);
	begin_at(rings[0], 0x222, clock_then);
	commit(rings[0], started - 1000000);
	for (uint32_t i = 0; i < ITM_RING_PAST - 1; i++) {
		look_back();
		assert_false(others.is_cut);
		begin_at(rings[0], 0x222, clock_then + 1);
		commit(rings[0], started + 4);
	}
	assert_found_back(rings[1], 0x333, STMLOG_GRADE_CANDIDATE); /* the ring has forgotten the one before */
	commit(rings[1], started + 4);
}

/* Must come last: rings are never freed. */
TEST_WITH(fixture, what_is_not_looked_at_is_counted_and_makes_nothing_certain)
{
	AO_t before = AO_load(&itm_others_cut);
	struct itm_ring *more[ITM_RINGS_LOOK_MAX];
	for (uint32_t i = 0; i < ITM_RINGS_LOOK_MAX; i++)
		more[i] = itm_ring_acquire(10 + i);
	begin(more[ITM_RINGS_LOOK_MAX - 1], 0x222); /* in front of the list */
	look();
	assert_int_equal(AO_load(&itm_others_cut), before + 1);
	commit(more[ITM_RINGS_LOOK_MAX - 1], 0);
	assert_waited_for(more[ITM_RINGS_LOOK_MAX - 1], 0x222, STMLOG_GRADE_CANDIDATE);
	for (uint32_t i = 0; i < ITM_RINGS_LOOK_MAX; i++)
		itm_ring_release(more[i]);
}

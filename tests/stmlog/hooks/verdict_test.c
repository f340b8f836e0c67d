/* SPDX-License-Identifier: MIT
 * Whether an abort was wasted, because its culprit aborted as well. */
#include "attempts.h"
#include "opponent.h"

TEST_WITH(opponent_fixture, an_abort_by_one_that_aborts_too_was_for_nothing)
{
	struct stmlog_totals totals;
	tell(it_starts_and_writes);
	lose_to(it.origin);
	tell(it_gives_up);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.count, 1);
	assert_int_equal(entry.wasted, 1);
	assert_int_equal(entry.wasted_ns, 5 * US);
	assert_int_equal(entry.undecided, 0);
	stmlog_timelog_totals(fixture_log, &totals);
	assert_int_equal(totals.wasted.count, 1);
	assert_int_equal(totals.wasted.lost_ns, 5 * US);
}

TEST_WITH(opponent_fixture, a_group_waits_for_the_verdict_across_transactions)
{
	tell(it_starts_and_writes);
	lose_to(it.origin);
	stmlog_retry(me());
	stmlog_commit(me());
	stmlog_start(me());
	stmlog_commit(me());
	tell(it_gives_up);
	stmlog_start(me());
	stmlog_commit(me());
	assert_int_equal(entry_at(fixture_log, 0).wasted, 1);
}

TEST_WITH(opponent_fixture, an_abort_by_one_that_commits_was_not_for_nothing)
{
	tell(it_starts_and_writes);
	lose_to(it.origin);
	tell(it_commits);
	tell(it_starts);
	tell(it_gives_up); /* another attempt of the same thread's */
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.wasted, 0);
	assert_int_equal(entry.undecided, 0);
}

TEST_WITH(opponent_fixture, an_abort_by_one_still_under_way_when_asked_is_undecided)
{
	tell(it_starts_and_writes);
	lose_to(it.origin);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.wasted, 0);
	assert_int_equal(entry.undecided, 1);
	tell(it_commits);
}

TEST_WITH(opponent_fixture, the_end_of_a_thread_does_not_hide_how_its_attempts_ended)
{
	tell(it_starts_and_writes);
	tell(it_gives_up);
	tell(it_leaves);
	lose_to(it.origin);
	assert_int_equal(entry_at(fixture_log, 0).wasted, 1);
	tell(it_attaches);
	tell(it_starts);
	tell(it_commits);
	lose_to(it.origin);
	assert_int_equal(entry_at(fixture_log, 0).wasted, 2);
}

TEST_WITH(opponent_fixture, an_abort_by_one_that_ended_too_long_ago_is_undecided)
{
	tell(it_starts_and_writes);
	for (int aborts = 0; aborts < ATTEMPTS_REMEMBERED; aborts++) {
		tell(it_gives_up);
		tell(it_starts);
	}
	tell(it_commits);
	lose_to(it.origin);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.wasted, 0);
	assert_int_equal(entry.undecided, 1);
}

TEST_WITH(opponent_fixture, without_an_origin_there_is_no_verdict)
{
	lose_to(0);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.wasted, 0);
	assert_int_equal(entry.undecided, 0);
}

/* Its records are freed. */
TEST_WITH(session_fixture, the_attempts_of_a_closed_session_are_not_found)
{
	struct stmlog_thread *lane = stmlog_thread_open("lane");
	uint32_t number = stmlog_thread_id(lane);
	assert_non_null(attempts_of(number));
	stmlog_thread_close(&lane);
	assert_non_null(attempts_of(number));
	session_open_with("");
	assert_null(attempts_of(number));
}

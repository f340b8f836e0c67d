/* SPDX-License-Identifier: MIT
 * Whether an abort was wasted, because its culprit aborted as well. */
#include "fixture.h"

#include "opponent.h"

TEST_WITH(opponent_fixture, an_abort_by_one_that_aborts_too_was_for_nothing)
{
	struct stmlog_totals totals;
	tell(it_starts);
	tell_with(it_writes_at, 510);
	lose_to_its_write(it_now());
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
	tell(it_starts);
	tell_with(it_writes_at, 510);
	lose_to_its_write(it_now());
	stmlog_retry(self());
	stmlog_commit(self());
	stmlog_start(self());
	stmlog_commit(self());
	tell(it_gives_up);
	stmlog_start(self());
	stmlog_commit(self());
	assert_int_equal(entry_at(fixture_log, 0).wasted, 1);
}

TEST_WITH(opponent_fixture, an_abort_by_one_that_commits_was_not_for_nothing)
{
	tell(it_starts);
	tell_with(it_writes_at, 510);
	lose_to_its_write(it_now());
	tell(it_commits);
	tell(it_starts);
	tell(it_gives_up); /* another attempt of the same thread's */
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.wasted, 0);
	assert_int_equal(entry.undecided, 0);
}

TEST_WITH(opponent_fixture, an_abort_by_one_still_under_way_when_asked_is_undecided)
{
	tell(it_starts);
	tell_with(it_writes_at, 510);
	lose_to_its_write(it_now());
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.wasted, 0);
	assert_int_equal(entry.undecided, 1);
	tell(it_commits);
}

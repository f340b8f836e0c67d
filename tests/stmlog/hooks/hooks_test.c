/* SPDX-License-Identifier: MIT
 * Where the time of attempts goes, on a fake clock. */
#include "loss_and_account.h"
#include "losses.h"
#include "misuse.h"

TEST_WITH(session_fixture, a_commit_makes_no_entry_and_idle_time_is_outside)
{
	fake_clock_advance(3 * MS);
	stmlog_start(me());
	fake_clock_advance(5 * MS);
	stmlog_commit(me());
	fake_clock_advance(7 * MS);
	assert_int_equal(stmlog_timelog_len(fixture_log), 0);
	struct stmlog_account account = account_of(me());
	assert_int_equal(account.attached_ns, 15 * MS);
	assert_int_equal(account.outside_ns, 10 * MS);
	assert_int_equal(account.committed_ns, 5 * MS);
	assert_int_equal(account.commits, 1);
}

TEST_WITH(session_fixture, an_attempt_is_open_until_it_ends_and_then_goes_where_it_belongs)
{
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_READ);
	stmlog_start(me());
	fake_clock_advance(2 * MS);
	assert_int_equal(account_of(me()).open_ns, 2 * MS);
	assert_int_equal(account_of(me()).committed_ns, 0);
	stmlog_abort(me(), &loss);
	assert_int_equal(account_of(me()).open_ns, 0);
	assert_int_equal(account_of(me()).aborted_ns[STMLOG_WRITE_READ], 2 * MS);
	assert_int_equal(account_of(me()).aborts[STMLOG_WRITE_READ], 1);
	stmlog_retry(me());
	fake_clock_advance(4 * MS);
	stmlog_commit(me());
	assert_int_equal(account_of(me()).committed_ns, 4 * MS);
	assert_int_equal(account_of(me()).outside_ns, 0);
}

TEST_WITH(session_fixture, looking_for_the_culprit_is_not_the_attempts_time)
{
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_READ);
	stmlog_start(me());
	fake_clock_advance(2 * MS);
	stmlog_failed(me());
	fake_clock_advance(2 * MS);
	stmlog_failed(me()); /* said already */
	fake_clock_advance(MS);
	assert_int_equal(account_of(me()).open_ns, 5 * MS);
	stmlog_abort(me(), &loss);
	stmlog_retry(me());
	fake_clock_advance(4 * MS);
	stmlog_abort(me(), &loss); /* not told beforehand: the earlier failure is over */
	struct stmlog_account account = account_of(me());
	assert_int_equal(account.aborted_ns[STMLOG_WRITE_READ], 6 * MS);
	assert_int_equal(account.other_ns, 3 * MS);
	assert_int_equal(account.outside_ns, 0);
	assert_int_equal(account.events, 4); /* start, failed, two aborts */
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.lost_ns, 6 * MS);
	assert_int_equal(entry.shortest_ns, 2 * MS);
}

TEST_WITH(session_fixture, a_back_off_between_abort_and_retry_is_neither_attempts_time)
{
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_READ);
	size_t misuses = misuse_total();
	stmlog_start(me());
	fake_clock_advance(2 * MS);
	stmlog_abort(me(), &loss);
	stmlog_wait_begin(me(), NULL);
	fake_clock_advance(3 * MS);
	stmlog_wait_end(me());
	wait_for_segment(me());
	fake_clock_advance(4 * MS);
	stmlog_wait_end(me());
	fake_clock_advance(MS); /* the attempt begins with the last hook that read the clock */
	stmlog_retry(me());
	fake_clock_advance(5 * MS);
	stmlog_commit(me());
	assert_int_equal(misuse_total(), misuses);
	struct stmlog_account account = account_of(me());
	assert_int_equal(account.aborted_ns[STMLOG_WRITE_READ], 2 * MS);
	assert_int_equal(account.other_ns, 3 * MS);
	assert_int_equal(account.waiting_none_ns, 4 * MS);
	assert_int_equal(account.committed_ns, 6 * MS);
	assert_int_equal(account.commits, 1);
}

TEST_WITH(session_fixture, a_failure_that_no_abort_follows_is_forgotten)
{
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_READ);
	stmlog_start(me());
	stmlog_failed(me());
	fake_clock_advance(MS);
	stmlog_commit(me());
	stmlog_start(me());
	fake_clock_advance(2 * MS);
	stmlog_abort(me(), &loss);
	assert_int_equal(account_of(me()).committed_ns, MS);
	assert_int_equal(account_of(me()).aborted_ns[STMLOG_WRITE_READ], 2 * MS);
	assert_int_equal(account_of(me()).other_ns, 0);
}

/* An attempt of 2 ms, a wait of 3 and an attempt of 4, told 5 ms after the commit. */
TEST_WITH(session_fixture, what_is_told_after_the_commit_has_the_times_that_it_had)
{
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_READ);
	struct stmlog_loss wait = stmlog_loss_make(STMLOG_WAIT, STMLOG_INEVITABLE, NULL);
	uint64_t began_ns = stmlog_now_ns();
	stmlog_start(me());
	fake_clock_advance(14 * MS);
	loss.at_ns = began_ns + 2 * MS;
	stmlog_abort(me(), &loss);
	stmlog_retry(me());
	stmlog_waited(me(), &wait, 3 * MS);
	stmlog_commit_at(me(), began_ns + 9 * MS);
	struct stmlog_account account = account_of(me());
	assert_int_equal(account.aborted_ns[STMLOG_WRITE_READ], 2 * MS);
	assert_int_equal(account.waiting_inevitable_ns, 3 * MS);
	assert_int_equal(account.committed_ns, 4 * MS);
	assert_int_equal(account.other_ns, 5 * MS);
	assert_int_equal(account.open_ns, 0);
	assert_int_equal(account.outside_ns, 0);
	assert_no_residual(me());
	assert_conserved(fixture_log);
}

/* No time is counted twice, whatever a runtime says. */
TEST_WITH(session_fixture, a_time_before_the_last_hook_is_that_of_the_last_hook)
{
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_READ);
	fake_clock_advance(MS);
	stmlog_start(me());
	fake_clock_advance(MS);
	loss.at_ns = 1;
	stmlog_abort(me(), &loss);
	stmlog_retry(me());
	stmlog_commit_at(me(), 1);
	struct stmlog_account account = account_of(me());
	assert_int_equal(account.aborted_ns[STMLOG_WRITE_READ], 0);
	assert_int_equal(account.committed_ns, 0);
	assert_int_equal(account.other_ns, MS);
	assert_no_residual(me());
}

TEST_WITH(session_fixture, a_clock_that_goes_back_stands_still_instead)
{
	stmlog_start(me());
	fake_clock_advance(100);
	stmlog_commit(me());
	fake_clock_set(1000);
	stmlog_start(me());
	stmlog_commit(me());
	assert_int_equal(account_of(me()).committed_ns, 100);
	assert_int_equal(account_of(me()).outside_ns, 0);
}

TEST_WITH(session_fixture, a_start_in_the_future_makes_no_time_that_has_not_passed)
{
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, NULL);
	for (int i = 0; i < 2; i++) {
		stmlog_start_at(me(), stmlog_now_ns() + 1000 * MS, tb_site_make(0, 0), TB_UNKNOWN);
		fake_clock_advance(2 * MS);
		if (i == 1) {
			stmlog_wait_begin(me(), &pause);
			fake_clock_advance(3 * MS);
			stmlog_wait_end(me());
		}
		stmlog_commit(me());
	}
	struct stmlog_account account = account_of(me());
	assert_int_equal(account.attached_ns, 7 * MS);
	assert_int_equal(account.outside_ns, 4 * MS);
	assert_int_equal(account.paused_ns, 3 * MS);
	assert_int_equal(account.commits, 2);
}

TEST_WITH(session_fixture, unmeasured_transactions_are_counted_without_time)
{
	uint64_t events = account_of(me()).events;
	stmlog_unmeasured(me(), 15, 3);
	struct stmlog_account account = account_of(me());
	assert_int_equal(account.unmeasured_commits, 15);
	assert_int_equal(account.unmeasured_aborts, 3);
	assert_int_equal(account.commits, 0);
	assert_int_equal(account.events, events);
}

/* Of 7 commits and 2 aborts; `arg` is whether these are all. */
static bool count_some(void *arg, struct stmlog_unmeasured_counts *counts)
{
	*counts = (struct stmlog_unmeasured_counts){.commits = 7, .aborts = 2};
	return *(bool *)arg;
}

TEST_WITH(session_fixture, the_attempts_measured_are_those_that_have_ended)
{
	assert_int_equal(stmlog_measured_attempts(NULL).commits, 0);
	stmlog_start(me());
	fake_clock_advance(100);
	stmlog_commit(me());
	stmlog_start(me());
	fake_clock_advance(50);
	struct stmlog_attempts measured = stmlog_measured_attempts(me());
	assert_int_equal(measured.commits, 1);
	assert_int_equal(measured.aborts, 0);
	assert_int_equal(measured.time_ns, 100);
	stmlog_commit(me());
}

TEST_WITH(session_fixture, counts_of_the_runtimes_own_are_added_when_the_account_is_read)
{
	bool is_whole = true;
	stmlog_read_unmeasured_by(NULL, count_some, &is_whole);
	stmlog_read_unmeasured_by(me(), count_some, &is_whole);
	stmlog_unmeasured(me(), 15, 3);
	assert_int_equal(account_of(me()).unmeasured_commits, 22);
	assert_int_equal(account_of(me()).unmeasured_aborts, 5);
	/* A thread that attaches later has no reader. */
	close_own();
	assert_int_equal(account_of(stmlog_thread_open(NULL)).unmeasured_commits, 0);
}

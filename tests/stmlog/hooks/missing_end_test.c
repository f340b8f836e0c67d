/* SPDX-License-Identifier: MIT
 * A pause, wait, other work or blocked time whose end is not reported. */
#include <stmlog/timeline.h>

#include "loss_and_account.h"
#include "losses.h"
#include "misuse.h"

enum { TRANSACTIONS = 1000 };

/* Each begins after an attempt of 1 ms. */
static void forget_pause(void)
{
	pause_over_write(me(), ACCOUNTS, 0, "LOCKED");
}

static void forget_wait(void)
{
	wait_for_inevitable(me(), 0, "INEVITABLE");
}

static void forget_other(void)
{
	stmlog_wait_begin(me(), NULL);
}

static void forget_blocked(void)
{
	abort_asked(me(), "RETRY");
	wait_blocked(me());
}

static void (*const forgotten[])(void) = {forget_pause, forget_wait, forget_other, forget_blocked};
#define FORGOTTEN (sizeof forgotten / sizeof *forgotten)

/* A transaction of 1 ms, and 3 ms in what does not end. */
static void forget(size_t which)
{
	stmlog_start(me());
	fake_clock_advance(MS);
	forgotten[which]();
	fake_clock_advance(3 * MS);
}

TEST_WITH(session_fixture, all_commits_count_after_an_end_that_is_missing)
{
	for (size_t which = 0; which < FORGOTTEN; which++) {
		uint64_t before = account_of(me()).commits;
		forget(which);
		for (int i = 0; i < TRANSACTIONS; i++) {
			stmlog_start(me());
			stmlog_commit(me());
		}
		assert_int_equal(account_of(me()).commits - before, TRANSACTIONS);
	}
}

TEST_WITH(session_fixture, a_retry_goes_on_after_it_too)
{
	for (size_t which = 0; which < FORGOTTEN; which++) {
		uint64_t before = account_of(me()).commits;
		forget(which);
		stmlog_retry(me());
		stmlog_commit(me());
		assert_int_equal(account_of(me()).commits - before, 1);
	}
}

TEST_WITH(session_fixture, each_is_one_mistake)
{
	for (size_t which = 0; which < FORGOTTEN; which++) {
		size_t before = misuse_total();
		forget(which);
		stmlog_start(me());
		stmlog_commit(me());
		assert_int_equal(misuse_total() - before, 1);
	}
}

TEST_WITH(session_fixture, the_time_is_other_and_no_loss)
{
	struct stmlog_totals totals;
	forget(0);
	stmlog_start(me());
	fake_clock_advance(2 * MS);
	stmlog_commit(me());
	struct stmlog_account account = account_of(me());
	assert_int_equal(account.other_ns, 4 * MS);
	assert_int_equal(account.others, 1);
	assert_int_equal(account.paused_ns + account.outside_ns + account.open_ns, 0);
	assert_int_equal(account.committed_ns, 2 * MS);
	stmlog_timelog_totals(fixture_log, &totals);
	assert_int_equal(totals.by_cause[STMLOG_PAUSE][STMLOG_WRITE_WRITE].count, 0);
	assert_int_equal(stmlog_timelog_len(fixture_log), 0);
}

TEST_WITH(session_fixture, a_wait_before_the_first_attempt_takes_no_retry)
{
	size_t before = misuse_total();
	wait_for_segment(me());
	stmlog_retry(me());
	assert_int_equal(misuse_total() - before, 1);
	stmlog_wait_end(me());
	assert_int_equal(misuse_total() - before, 1);
	assert_int_equal(account_of(me()).waits_none, 1);
}

TEST_WITH(session_fixture, the_timeline_says_that_an_event_is_missing)
{
	struct stmlog_timeline_fault fault;
	stmlog_timeline_start();
	forget(0);
	stmlog_start(me());
	stmlog_commit(me());
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = stmlog_timeline_take();
	assert_true(stmlog_timeline_check(timeline, &fault));
	assert_int_equal(
		timeline->len, 8); /* attach, start, contention, wait-begin, wait-end, missing, start, commit */
	assert_int_equal(timeline->events[5].kind, STMLOG_EVENT_MISSING);
	assert_int_equal(timeline->events[5].argument, 1);
}

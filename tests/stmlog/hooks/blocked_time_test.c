/* SPDX-License-Identifier: MIT
 * Transactions that wait, after a retry, until something changes that they have read. */

#include <stmlog/timeline.h>

#include "losses.h"
#include "misuse.h"
#include "sections.h"
#include "session_fixture.h"
#include "test.h"

#define SITE tb_site_make(5, 7)

static void start(void)
{
	stmlog_start_at(me(), stmlog_now_ns(), SITE, TB_UNKNOWN);
}

/* An attempt of 1 ms that ends in a retry, which sleeps for 3 ms. */
static void block(void)
{
	fake_clock_advance(MS);
	abort_asked(me(), "RETRY");
	wait_blocked(me());
	fake_clock_advance(3 * MS);
	stmlog_wait_end(me());
}

/* An attempt of 2 ms that succeeds. */
static void succeed(void)
{
	stmlog_retry(me());
	fake_clock_advance(2 * MS);
	stmlog_commit(me());
}

/* The row of the site. */
static struct stmlog_blocked_record row_of(struct tb_site site)
{
	OWNED(spent_fini) struct spent spent;
	struct stmlog_blocked_record found = {.count = 0};
	assert_int_equal(spent_gather(&spent), 0);
	for (size_t i = 0; i < spent.tries_count; i++)
		if (spent.tries[i].site.code == site.code && spent.tries[i].site.position == site.position)
			found = spent.tries[i].blocked;
	return found;
}

TEST_WITH(session_fixture, time_blocked_has_a_row_of_its_own_and_is_no_loss)
{
	start();
	block();
	succeed();
	struct stmlog_account is = account_of(me());
	assert_int_equal(is.blocked, 1);
	assert_int_equal(is.blocked_ns, 3 * MS);
	assert_int_equal(is.blocked_in_vain, 0);
	assert_int_equal(is.estimated_blocked_ns, 3 * MS);
	assert_int_equal(is.aborted_ns[STMLOG_NONE], MS);
	assert_int_equal(is.committed_ns, 2 * MS);
	assert_int_equal(is.outside_ns + is.waiting_none_ns + is.other_ns, 0);
	assert_int_equal(is.events, 5);
	struct stmlog_totals totals;
	stmlog_timelog_totals(fixture_log, &totals);
	assert_int_equal(totals.by_cause[STMLOG_USER_ABORT][STMLOG_NONE].lost_ns, MS);
	assert_int_equal(totals.by_cause[STMLOG_WAIT][STMLOG_NONE].count, 0);
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
}

TEST_WITH(session_fixture, a_transaction_that_blocks_again_was_woken_in_vain)
{
	start();
	block();
	stmlog_retry(me());
	block();
	assert_int_equal(account_of(me()).blocked_in_vain, 1);
	succeed();
	start();
	block();
	succeed();
	assert_int_equal(account_of(me()).blocked, 3);
	assert_int_equal(account_of(me()).blocked_in_vain, 1);
	struct stmlog_blocked_record row = row_of(SITE);
	assert_int_equal(row.count, 3);
	assert_int_equal(row.in_vain, 1);
	assert_int_equal(row.blocked_ns, 9 * MS);
	assert_int_equal(row.longest_ns, 3 * MS);
}

TEST_WITH(session_fixture, one_that_sleeps_on_at_once_was_woken_in_vain)
{
	start();
	block();
	wait_blocked(me());
	fake_clock_advance(5 * MS);
	stmlog_wait_end(me());
	succeed();
	assert_int_equal(account_of(me()).blocked, 2);
	assert_int_equal(account_of(me()).blocked_in_vain, 1);
	assert_int_equal(account_of(me()).blocked_ns, 8 * MS);
	assert_int_equal(row_of(SITE).longest_ns, 5 * MS);
}

TEST_WITH(session_fixture, another_transaction_that_blocks_says_nothing_of_the_one_before)
{
	for (int i = 0; i < 2; i++) {
		start();
		block();
	}
	assert_int_equal(account_of(me()).blocked, 2);
	assert_int_equal(account_of(me()).blocked_in_vain, 0);
}

TEST_WITH(session_fixture, a_sampled_transaction_is_blocked_for_others_too)
{
	stmlog_set_weight(me(), 4);
	fake_clock_advance(100 * MS); /* for the others */
	start();
	block();
	succeed();
	assert_int_equal(account_of(me()).blocked_ns, 3 * MS);
	assert_int_equal(account_of(me()).estimated_blocked_ns, 12 * MS);
	assert_true(row_of(SITE).estimated_ns > 11.9 * MS && row_of(SITE).estimated_ns < 12.1 * MS);
}

TEST_WITH(session_fixture, time_blocked_without_a_thread_is_in_no_attached_time)
{
	struct tb_site other = tb_site_make(5, 9);
	start();
	stmlog_was_blocked(me(), other, 50 * MS, false);
	stmlog_was_blocked(me(), other, 7 * MS, true);
	fake_clock_advance(2 * MS);
	stmlog_commit(me());
	struct stmlog_account is = account_of(me());
	assert_int_equal(is.attached_ns, 2 * MS);
	assert_int_equal(is.blocked + is.blocked_ns + is.blocked_in_vain, 0);
	assert_int_equal(is.blocked_unattached, 2);
	assert_int_equal(is.blocked_unattached_ns, 57 * MS);
	assert_int_equal(is.blocked_unattached_in_vain, 1);
	assert_int_equal(row_of(other).count, 2);
	assert_int_equal(row_of(other).in_vain, 1);
	assert_int_equal(row_of(other).longest_ns, 50 * MS);
}

TEST_WITH(session_fixture, only_a_transaction_that_has_aborted_may_block)
{
	uint64_t before = misuse_total();
	wait_blocked(me());
	stmlog_wait_end(me());
	start();
	wait_blocked(me());
	abort_asked(me(), NULL);
	wait_blocked(me());
	wait_for_segment(me());
	wait_blocked(me());
	assert_int_equal(misuse_total() - before, 5);
	stmlog_wait_end(me());
	succeed();
	assert_int_equal(account_of(me()).blocked, 1);
}

TEST_WITH(session_fixture, a_timeline_shows_what_the_wait_is_for)
{
	struct stmlog_timeline_fault fault;
	stmlog_timeline_start();
	start();
	block();
	succeed();
	OWNED(stmlog_timeline_destroy) struct stmlog_timeline *timeline = stmlog_timeline_take();
	assert_true(stmlog_timeline_check(timeline, &fault));
	assert_int_equal(timeline->len, 7); /* attach, start, abort, wait-begin, wait-end, start, commit */
	assert_int_equal(timeline->events[3].kind, STMLOG_EVENT_WAIT_BEGIN);
	assert_int_equal(timeline->events[3].detail, STMLOG_WAIT_FOR_CHANGE);
	assert_int_equal(timeline->events[4].time_ns - timeline->events[3].time_ns, 3 * MS);
}

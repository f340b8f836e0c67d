/* SPDX-License-Identifier: MIT
 * The library chooses the transactions that are measured: what the account says of all of them. */
#include <unistd.h>

#include "child.h"
#include "misuse.h"
#include "peer.h"
#include "session.h"
#include "session_fixture.h"
#include "thread.h"

/* One transaction of 9 us, of which one in ten fails first, after 4 us more; 1 us later the next one may begin. Returns
 * whether it was measured. */
static bool transact(int number)
{
	struct stmlog_thread *log = stmlog_sampled(me());
	stmlog_start(log);
	if (number % 10 == 3) {
		fake_clock_advance(4 * US);
		stmlog_abort(log, NULL);
		stmlog_retry(log);
	}
	fake_clock_advance(9 * US);
	stmlog_commit(log);
	fake_clock_advance(1 * US);
	return log != NULL;
}

static void transact_often(int count, bool all_are_measured)
{
	int measured = 0;
	for (int i = 0; i < count; i++)
		measured += transact(i);
	assert_int_equal(measured == count, all_are_measured);
	struct stmlog_account account = account_of(me());
	assert_int_equal(account.commits, measured);
	assert_int_equal(account.commits + account.unmeasured_commits, count);
}

static void assert_near(uint64_t number, uint64_t expected)
{
	assert_in_range(number, expected - expected / 20, expected + expected / 20);
}

/* 96,000 a second. */
TEST_WITH(session_fixture, what_is_not_measured_is_counted_and_estimated)
{
	enum { COUNT = 200000 };
	transact_often(COUNT, false);
	struct stmlog_account account = account_of(me());
	assert_near(account.commits, COUNT / 2);
	assert_near(account.estimated_committed_ns, COUNT * 9ull * US);
	assert_near(estimated_aborted_ns(account), COUNT / 10 * 4ull * US);
	assert_near(account.aborts[STMLOG_NONE] + account.unmeasured_aborts, COUNT / 10);
	assert_int_equal(account.attached_ns, COUNT * 10ull * US + COUNT / 10 * 4ull * US);
}

/* Transactions conflict twice as often while they are measured, as they take longer then. */
static void transact_slower(int count, bool counts)
{
	for (int i = 0; i < count; i++) {
		struct stmlog_thread *log = stmlog_sampled(me());
		stmlog_start(log);
		if (i % (log != NULL ? 10 : 20) == 3) {
			fake_clock_advance(4 * US);
			stmlog_abort(log, NULL);
			if (counts)
				stmlog_aborted_unmeasured(me());
			stmlog_retry(log);
		}
		fake_clock_advance(9 * US);
		stmlog_commit(log);
		fake_clock_advance(1 * US);
	}
}

TEST_WITH(session_fixture, aborts_that_the_runtime_counts_are_exact_and_their_time_follows_them)
{
	enum { COUNT = 200000 };
	for (uint64_t counts = 0; counts < 2; counts++) {
		session_tear_down();
		session_set_up();
		session.sample = 16;
		transact_slower(COUNT, counts != 0);
		struct stmlog_account account = account_of(me());
		uint64_t aborts = account.aborts[STMLOG_NONE] + account.unmeasured_aborts;
		assert_near(aborts, counts ? COUNT / 20 * 17 / 16 : COUNT / 10);
		assert_near(estimated_aborted_ns(account), aborts * 4 * US);
		assert_int_equal(
			AO_load(&session.counts_aborts), counts); /* else the recording says that it is estimated */
	}
}

TEST_WITH(session_fixture, a_measured_transaction_has_no_unmeasured_aborts)
{
	stmlog_aborted_unmeasured(NULL);
	assert_ptr_equal(stmlog_sampled(me()), me());
	stmlog_aborted_unmeasured(me());
	assert_int_equal(me()->aborts, 0);
}

/* Origins take as much of the time as so many starts and commits. */
TEST_WITH(session_fixture, transactions_with_many_origins_are_measured_less)
{
	while (me()->window.weight < 2) {
		struct stmlog_thread *log = stmlog_sampled(me());
		stmlog_start(log);
		for (int i = 0; i < 100; i++)
			stmlog_origin(log, TB_HERE());
		fake_clock_advance(10 * US);
		stmlog_commit(log);
	}
	assert_true(me()->window.weight >= 8);
}

TEST_WITH(session_fixture, with_one_in_one_all_are_measured)
{
	session.sample = 1;
	transact_often(20000, true);
	assert_int_equal(account_of(me()).estimated_committed_ns, 20000 * 9ull * US);
}

TEST_WITH(session_fixture, one_in_so_many_is_measured)
{
	session.sample = 10;
	transact_often(200000, false);
	assert_near(account_of(me()).commits, 20000);
}

/* The handle is used again by the next thread, which begins anew. */
static void *transact_a_little(void *arg)
{
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	for (int i = 0; i < 5; i++) {
		struct stmlog_thread *log = stmlog_sampled(thread);
		assert_ptr_equal(log, thread);
		stmlog_start(log);
		stmlog_commit(log);
	}
	assert_int_equal(account_of(thread).unmeasured_commits, 0);
	return arg;
}

TEST_WITH(session_fixture, each_thread_begins_with_all_of_its_transactions)
{
	transact_often(20000, false);
	for (int i = 0; i < 3; i++)
		run_in_thread(transact_a_little, NULL);
}

TEST_WITH(session_fixture, a_forked_child_begins_anew)
{
	transact_often(20000, false);
	if (in_forked_child()) {
		transact_often(100, true);
		_exit(0);
	}
}

/* The child has nothing of the window in which it was forked. */
TEST_WITH(session_fixture, a_child_that_is_forked_within_a_window_estimates_its_own_alone)
{
	session.sample = 10;
	while (stmlog_sampled(me()) == NULL || me()->account.sampled.extra_weight == 0)
		fake_clock_advance(10 * US);
	stmlog_start(me());
	fake_clock_advance(9 * US);
	if (in_forked_child()) {
		fake_clock_advance(1 * US);
		stmlog_commit(me());
		for (int i = 0; i < 200000; i++)
			transact(i);
		assert_near(account_of(me()).estimated_committed_ns, 200000 * 9ull * US);
		_exit(0);
	}
	stmlog_commit(me());
}

TEST_WITH(session_fixture, within_a_transaction_there_is_nothing_to_choose)
{
	size_t misuses = misuse_total();
	assert_null(stmlog_sampled(NULL));
	stmlog_start(me());
	assert_null(stmlog_sampled(me()));
	stmlog_commit(me());
	assert_int_equal(misuse_total(), misuses + 1);
	assert_ptr_equal(stmlog_sampled(me()), me());
}

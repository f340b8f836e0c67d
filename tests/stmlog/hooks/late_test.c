/* SPDX-License-Identifier: MIT
 * Transactions that are measured from a later attempt on. */
#include "loss_and_account.h"
#include "misuse.h"
#include "thread.h"
#include "tries.h"

static void abort_after(uint64_t ns)
{
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	fake_clock_advance(ns);
	stmlog_abort(stmlog_thread_self(), &loss);
}

static void start_late(uint64_t failed)
{
	stmlog_start_late(stmlog_thread_self(), stmlog_now_ns(), tb_site_make(1, 2), TB_UNKNOWN, failed);
}

static void keep_first(const struct tries_site *site, void *arg)
{
	*(struct tries_site *)arg = *site;
}

static struct tries_site tries_of_self(void)
{
	struct tries_site found = {.record = {0}};
	tries_each(&stmlog_thread_self()->distribution, keep_first, &found);
	return found;
}

TEST_WITH(session_fixture, attempts_before_count_to_the_transaction_and_to_no_row)
{
	start_late(2);
	abort_after(3 * MS);
	stmlog_retry(me());
	fake_clock_advance(1 * MS);
	stmlog_commit(me());
	struct tries_site site = tries_of_self();
	assert_int_equal(site.record.attempts, 4);
	assert_int_equal(site.record.commits, 1);
	assert_int_equal(site.record.lost_ns, 3 * MS);
	struct stmlog_account account = account_of(me());
	assert_int_equal(account.aborts[STMLOG_WRITE_WRITE], 1);
	assert_int_equal(account.aborted_ns[STMLOG_WRITE_WRITE], 3 * MS);
	assert_int_equal(account.committed_ns, 1 * MS);
}

TEST_WITH(session_fixture, any_number_of_attempts_may_have_failed_before)
{
	const uint64_t failed[] = {0, 1, UINT64_MAX};
	const uint64_t attempts[] = {1, 2, UINT64_MAX};
	for (size_t i = 0; i < sizeof failed / sizeof failed[0]; i++) {
		start_late(failed[i]);
		assert_int_equal(stmlog_thread_self()->so_far.tries, attempts[i]);
		fake_clock_advance(1 * MS);
		abort_after(0);
	}
}

TEST_WITH(session_fixture, a_sampled_transaction_stands_for_others_up_to_that_attempt)
{
	stmlog_set_sampling(10);
	stmlog_set_weight(me(), 10);
	stmlog_start(me());
	abort_after(1 * MS);
	stmlog_set_weight(me(), 1);
	stmlog_retry(me());
	abort_after(5 * MS);
	fake_clock_advance(100 * MS);
	assert_int_equal(account_of(me()).estimated_aborted_ns[STMLOG_WRITE_WRITE], 15 * MS);
	assert_int_equal(entry_at(fixture_log, 0).estimated_ns, 15 * MS);
}

TEST_WITH(session_fixture, a_loss_weight_is_of_entries_and_not_of_the_account)
{
	start_late(2);
	stmlog_set_loss_weight(me(), 16);
	abort_after(2 * MS);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.lost_ns, 2 * MS);
	assert_int_equal(entry.estimated_ns, 32 * MS);
	struct tries_lost lost = tries_of_self().lost[TRIES_ABORTED];
	assert_int_equal(lost.close_ns, 32 * MS);
	assert_int_equal(lost.timed_ns, 2 * MS);
	fake_clock_advance(100 * MS);
	assert_int_equal(account_of(me()).estimated_aborted_ns[STMLOG_WRITE_WRITE], 2 * MS);
}

TEST_WITH(session_fixture, a_loss_weight_ends_with_its_transaction)
{
	start_late(2);
	stmlog_set_loss_weight(me(), 16);
	fake_clock_advance(1 * MS);
	stmlog_commit(me());
	stmlog_start(me());
	abort_after(2 * MS);
	assert_int_equal(entry_at(fixture_log, 0).estimated_ns, 2 * MS);
}

TEST_WITH(session_fixture, what_is_no_weight_is_refused)
{
	size_t before = misuse_total();
	start_late(1);
	stmlog_set_loss_weight(stmlog_thread_self(), 0);
	start_late(5);
	assert_int_equal(misuse_total(), before + 2);
	assert_int_equal(stmlog_thread_self()->so_far.tries, 2);
	abort_after(1 * MS);
	assert_int_equal(entry_at(fixture_log, 0).estimated_ns, 1 * MS);
}

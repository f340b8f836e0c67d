/* SPDX-License-Identifier: MIT
 * Pauses, waits and other work: told while they last, or when they are over. */
#include "loss_and_account.h"

TEST_WITH(session_fixture, a_pause_is_an_entry_and_is_taken_out_of_the_attempt)
{
	struct stmlog_thread *me = stmlog_thread_self();
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, NULL);
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	stmlog_start(me);
	fake_clock_advance(1 * MS);
	stmlog_pause_begin(me, &pause);
	fake_clock_advance(9 * MS);
	assert_int_equal(account_of(me).open_ns, 10 * MS);
	stmlog_pause_end(me);
	fake_clock_advance(2 * MS);
	stmlog_abort(me, &loss);
	assert_int_equal(entry_at(fixture_log, 0).cause.reason, STMLOG_PAUSE);
	assert_int_equal(entry_at(fixture_log, 0).lost_ns, 9 * MS);
	assert_int_equal(entry_at(fixture_log, 1).lost_ns, 3 * MS);
	assert_int_equal(account_of(me).paused_ns, 9 * MS);
	assert_int_equal(account_of(me).pauses, 1);
	assert_int_equal(account_of(me).aborted_ns[STMLOG_WRITE_WRITE], 3 * MS);
}

TEST_WITH(session_fixture, a_wait_for_an_inevitable_one_is_an_entry_and_a_plain_wait_is_not)
{
	struct stmlog_thread *me = stmlog_thread_self();
	struct stmlog_loss inevitable = stmlog_loss_make(STMLOG_WAIT, STMLOG_INEVITABLE, NULL);
	struct stmlog_loss none = stmlog_loss_make(STMLOG_WAIT, STMLOG_NONE, NULL);
	stmlog_wait_begin(me, &inevitable);
	fake_clock_advance(6 * MS);
	stmlog_wait_end(me);
	stmlog_wait_begin(me, &none);
	fake_clock_advance(7 * MS);
	stmlog_wait_end(me);
	stmlog_other_begin(me);
	fake_clock_advance(8 * MS);
	stmlog_other_end(me);
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
	assert_int_equal(entry_at(fixture_log, 0).lost_ns, 6 * MS);
	struct stmlog_account account = account_of(me);
	assert_int_equal(account.waiting_inevitable_ns, 6 * MS);
	assert_int_equal(account.waiting_none_ns, 7 * MS);
	assert_int_equal(account.other_ns, 8 * MS);
	assert_int_equal(account.waits_inevitable, 1);
	assert_int_equal(account.waits_none, 1);
	assert_int_equal(account.others, 1);
}

TEST_WITH(session_fixture, what_turns_out_to_have_been_a_pause_is_taken_out_of_the_attempt)
{
	struct stmlog_thread *me = stmlog_thread_self();
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_NONE, "COMMIT");
	stmlog_start(me);
	fake_clock_advance(10 * MS);
	stmlog_waited(me, &pause, 8 * MS);
	assert_int_equal(account_of(me).open_ns, 2 * MS);
	fake_clock_advance(1 * MS);
	stmlog_commit(me);
	struct stmlog_account account = account_of(me);
	assert_int_equal(account.committed_ns, 3 * MS);
	assert_int_equal(account.paused_ns, 8 * MS);
	assert_int_equal(account.pauses, 1);
	assert_int_equal(account.events, 3); /* start, waited, commit */
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.reason, STMLOG_PAUSE);
	assert_int_equal(entry.cause.contention, STMLOG_NONE);
	assert_string_equal(entry.cause.detail, "COMMIT");
	assert_int_equal(entry.lost_ns, 8 * MS);
	assert_int_equal(entry.last_ns, 1000 + 10 * MS);
}

/* The time before and after it stays outside; what was measured last has another site and weight. */
TEST_WITH(session_fixture, a_transaction_that_is_not_measured_may_have_waited)
{
	struct stmlog_thread *me = stmlog_thread_self();
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_READ, "COMMIT");
	struct tb_site site = TB_HERE();
	stmlog_set_weight(me, 16);
	stmlog_start(me);
	fake_clock_advance(1 * MS);
	stmlog_commit(me);
	fake_clock_advance(12 * MS);
	stmlog_descheduled(me, 3 * MS, 0);
	stmlog_waited_unmeasured(me, &pause, site, 8 * MS, 2 * MS);
	fake_clock_advance(4 * MS);
	struct stmlog_account account = account_of(me);
	assert_int_equal(account.paused_ns, 8 * MS);
	assert_int_equal(account.pauses, 1);
	assert_int_equal(account.outside_ns, 5 * MS);
	assert_int_equal(account.commits, 1);
	assert_no_residual(me);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.count, 1);
	assert_int_equal(entry.lost_ns, 8 * MS);
	assert_int_equal((uint64_t)entry.estimated_ns, 8 * MS);
	assert_int_equal(entry.descheduled_ns, 2 * MS);
	assert_int_equal(entry.site.position, site.position);
	assert_conserved(fixture_log);
}

TEST_WITH(session_fixture, waits_that_are_over_are_told_by_their_contention)
{
	struct stmlog_thread *me = stmlog_thread_self();
	struct stmlog_loss inevitable = stmlog_loss_make(STMLOG_WAIT, STMLOG_INEVITABLE, NULL);
	struct stmlog_loss none = stmlog_loss_make(STMLOG_WAIT, STMLOG_NONE, NULL);
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	stmlog_start(me);
	fake_clock_advance(10 * MS);
	stmlog_waited(me, &inevitable, 4 * MS);
	stmlog_waited(me, &none, 5 * MS);
	stmlog_abort(me, &loss);
	struct stmlog_account account = account_of(me);
	assert_int_equal(account.waiting_inevitable_ns, 4 * MS);
	assert_int_equal(account.waiting_none_ns, 5 * MS);
	assert_int_equal(account.waits_inevitable, 1);
	assert_int_equal(account.waits_none, 1);
	assert_int_equal(account.aborted_ns[STMLOG_WRITE_WRITE], 1 * MS);
	assert_int_equal(stmlog_timelog_len(fixture_log), 2);
	assert_int_equal(entry_at(fixture_log, 0).cause.contention, STMLOG_INEVITABLE);
	assert_int_equal(entry_at(fixture_log, 0).lost_ns, 4 * MS);
	assert_int_equal(entry_at(fixture_log, 1).lost_ns, 1 * MS);
}

TEST_WITH(session_fixture, nobody_has_waited_longer_than_time_has_passed)
{
	struct stmlog_thread *me = stmlog_thread_self();
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_NONE, NULL);
	stmlog_start(me);
	stmlog_waited(me, &pause, 0);
	stmlog_waited(me, &pause, 1);
	fake_clock_advance(2 * MS);
	stmlog_waited(me, &pause, UINT64_MAX);
	fake_clock_advance(1 * MS);
	stmlog_commit(me);
	assert_int_equal(account_of(me).paused_ns, 2 * MS);
	assert_int_equal(account_of(me).pauses, 3);
	assert_int_equal(account_of(me).committed_ns, 1 * MS);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.count, 3);
	assert_int_equal(entry.lost_ns, 2 * MS);
	assert_int_equal(entry.shortest_ns, 0);
}

/* A wait outside of attempts counts to the transaction before, whose losses had another weight. */
TEST_WITH(session_fixture, a_wait_behind_a_change_of_weight_is_of_no_transaction_before)
{
	struct stmlog_thread *thread = stmlog_thread_self();
	struct stmlog_loss wait = stmlog_loss_make(STMLOG_WAIT, STMLOG_INEVITABLE, NULL);
	for (uint32_t weight = 1; weight <= 3; weight += 2) {
		stmlog_set_weight(thread, weight);
		stmlog_wait_begin(thread, &wait);
		fake_clock_advance(US);
		stmlog_wait_end(thread);
	}
	struct stmlog_totals totals;
	stmlog_timelog_totals(fixture_log, &totals);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.count, 2);
	assert_int_equal(entry.estimated_ns, 4 * US);
	assert_int_equal(entry.variance_ns2, 3 * 2 * US * US);
	assert_int_equal(totals.variance_ns2, 3 * 2 * US * US);
}

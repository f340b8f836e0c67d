/* SPDX-License-Identifier: MIT
 * Pauses, waits and other work: told while they last, or when they are over. */
#include <string.h>
#include <unistd.h>

#include "capture_stderr.h"
#include "child.h"
#include "loss_and_account.h"
#include "misuse.h"
#include "unknown.h"

TEST_WITH(session_fixture, a_pause_is_an_entry_and_is_taken_out_of_the_attempt)
{
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, NULL);
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	stmlog_start(me());
	fake_clock_advance(1 * MS);
	stmlog_wait_begin(me(), &pause);
	fake_clock_advance(9 * MS);
	assert_int_equal(account_of(me()).open_ns, 10 * MS);
	stmlog_wait_end(me());
	fake_clock_advance(2 * MS);
	stmlog_abort(me(), &loss);
	assert_int_equal(entry_at(fixture_log, 0).cause.reason, STMLOG_PAUSE);
	assert_int_equal(entry_at(fixture_log, 0).lost_ns, 9 * MS);
	assert_int_equal(entry_at(fixture_log, 1).lost_ns, 3 * MS);
	assert_int_equal(account_of(me()).paused_ns, 9 * MS);
	assert_int_equal(account_of(me()).pauses, 1);
	assert_int_equal(account_of(me()).aborted_ns[STMLOG_WRITE_WRITE], 3 * MS);
}

TEST_WITH(session_fixture, a_wait_for_an_inevitable_one_is_an_entry_and_a_plain_wait_is_not)
{
	struct stmlog_loss inevitable = stmlog_loss_make(STMLOG_WAIT, STMLOG_INEVITABLE, NULL);
	struct stmlog_loss none = stmlog_loss_make(STMLOG_WAIT, STMLOG_NONE, NULL);
	stmlog_wait_begin(me(), &inevitable);
	fake_clock_advance(6 * MS);
	stmlog_wait_end(me());
	stmlog_wait_begin(me(), &none);
	fake_clock_advance(7 * MS);
	stmlog_wait_end(me());
	stmlog_wait_begin(me(), NULL);
	fake_clock_advance(8 * MS);
	stmlog_wait_end(me());
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
	assert_int_equal(entry_at(fixture_log, 0).lost_ns, 6 * MS);
	struct stmlog_account account = account_of(me());
	assert_int_equal(account.waiting_inevitable_ns, 6 * MS);
	assert_int_equal(account.waiting_none_ns, 7 * MS);
	assert_int_equal(account.other_ns, 8 * MS);
	assert_int_equal(account.waits_inevitable, 1);
	assert_int_equal(account.waits_none, 1);
	assert_int_equal(account.others, 1);
}

TEST_WITH(session_fixture, between_two_attempts_a_pause_has_its_cause)
{
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, "WINNER");
	size_t misuses = misuse_total();
	stmlog_start(me());
	stmlog_abort(me(), NULL);
	stmlog_wait_begin(me(), &pause);
	fake_clock_advance(3 * MS);
	stmlog_wait_end(me());
	stmlog_retry(me());
	stmlog_commit(me());
	assert_string_equal(entry_at(fixture_log, 0).cause.detail, "WINNER");
	assert_int_equal(account_of(me()).paused_ns, 3 * MS);
	assert_int_equal(misuse_total(), misuses);
}

/* 1 ms in an attempt, and then 2 ms in a wait. */
static void wait_in_attempt(const struct stmlog_loss *loss)
{
	stmlog_start(me());
	fake_clock_advance(1 * MS);
	stmlog_wait_begin(me(), loss);
	fake_clock_advance(2 * MS);
}

TEST_WITH(session_fixture, an_abort_within_a_wait_ends_the_wait_first)
{
	const struct stmlog_loss pause = stmlog_loss_of(STMLOG_PAUSE, STMLOG_WRITE_WRITE, NULL);
	const struct stmlog_loss known = self_abort(STMLOG_WRITE_WRITE);
	const struct stmlog_loss *const losses[] = {&known, NULL};
	size_t before = misuse_total();
	for (size_t i = 0; i < 2; i++) {
		wait_in_attempt(&pause);
		stmlog_abort(me(), losses[i]);
		stmlog_retry(me());
		stmlog_commit(me());
	}
	struct stmlog_account account = account_of(me());
	assert_int_equal(misuse_total(), before);
	assert_int_equal(account.pauses, 2);
	assert_int_equal(account.paused_ns, 4 * MS);
	assert_int_equal(account.aborted_ns[STMLOG_WRITE_WRITE], 1 * MS);
	assert_int_equal(account.aborted_ns[STMLOG_NONE], 1 * MS);
	assert_int_equal(entry_at(fixture_log, 0).cause.reason, STMLOG_PAUSE);
	assert_int_equal(entry_at(fixture_log, 0).lost_ns, 4 * MS);
	assert_conserved(fixture_log);
}

TEST_WITH(session_fixture, a_commit_within_a_wait_ends_the_wait_first)
{
	const struct stmlog_loss segment = stmlog_loss_of(STMLOG_WAIT, STMLOG_NONE, NULL);
	size_t before = misuse_total();
	wait_in_attempt(&segment);
	stmlog_commit(me());
	wait_in_attempt(NULL);
	stmlog_commit_at(me(), fake_clock_now_ns());
	struct stmlog_account account = account_of(me());
	assert_int_equal(misuse_total(), before);
	assert_int_equal(account.commits, 2);
	assert_int_equal(account.committed_ns, 2 * MS);
	assert_int_equal(account.waiting_none_ns, 2 * MS);
	assert_int_equal(account.other_ns, 2 * MS);
}

/* Whether the hook's mistake is reported in these words, of a wait within another one. */
static void assert_nested_is(const struct stmlog_loss *inner, const char *words)
{
	if (!in_forked_child())
		return;
	char text[256];
	stmlog_start(me());
	stmlog_wait_begin(me(), NULL);
	capture_stderr_begin();
	stmlog_wait_begin(me(), inner);
	capture_stderr_end(text, sizeof text);
	_exit(strstr(text, words) == NULL);
}

TEST_WITH(session_fixture, a_nested_wait_is_reported_as_nested)
{
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, NULL);
	struct stmlog_loss abort = self_abort(STMLOG_WRITE_WRITE);
	assert_nested_is(&pause, "stmlog_wait_begin within a pause or wait");
	assert_nested_is(NULL, "within a pause or wait");
	assert_nested_is(&abort, "with a cause that no wait has");
}

/* The attempt is over already, or has not begun. */
TEST_WITH(session_fixture, an_abort_within_a_wait_between_attempts_is_a_mistake)
{
	size_t before = misuse_total();
	stmlog_wait_begin(me(), NULL);
	stmlog_abort(me(), NULL);
	stmlog_wait_end(me());
	stmlog_start(me());
	stmlog_abort(me(), NULL);
	wait_blocked(me());
	stmlog_abort(me(), NULL);
	stmlog_commit(me());
	stmlog_wait_end(me());
	assert_int_equal(misuse_total(), before + 3);
	assert_int_equal(account_of(me()).aborts[STMLOG_NONE], 1);
}

/* Waits for 1 ms, between an abort and the retry or, if `in_attempt`, in the next attempt. */
static void wait_for_1_ms(enum stmlog_reason reason, enum stmlog_contention_kind contention, bool in_attempt)
{
	const struct stmlog_loss loss = stmlog_loss_of(reason, contention, NULL);
	stmlog_start(me());
	stmlog_abort(me(), NULL);
	if (in_attempt)
		stmlog_retry(me());
	stmlog_wait_begin(me(), &loss);
	fake_clock_advance(1 * MS);
	stmlog_wait_end(me());
	if (!in_attempt)
		stmlog_retry(me());
	stmlog_commit(me());
}

TEST_WITH(session_fixture, the_reason_of_a_wait_says_which_it_is_and_all_have_one_end)
{
	size_t before = misuse_total();
	for (int in_attempt = 0; in_attempt <= 1; in_attempt++) {
		wait_for_1_ms(STMLOG_WAIT, STMLOG_NONE, in_attempt);
		wait_for_1_ms(STMLOG_WAIT, STMLOG_INEVITABLE, in_attempt);
		wait_for_1_ms(STMLOG_OTHER_WORK, STMLOG_NONE, in_attempt);
		wait_for_1_ms(in_attempt ? STMLOG_PAUSE : STMLOG_BLOCKED, STMLOG_NONE, in_attempt);
	}
	assert_int_equal(misuse_total(), before);
	struct stmlog_account account = account_of(stmlog_thread_self());
	assert_int_equal(account.waits_none, 2);
	assert_int_equal(account.waiting_none_ns, 2 * MS);
	assert_int_equal(account.waits_inevitable, 2);
	assert_int_equal(account.waiting_inevitable_ns, 2 * MS);
	assert_int_equal(account.others, 2);
	assert_int_equal(account.other_ns, 2 * MS);
	assert_int_equal(account.pauses, 1);
	assert_int_equal(account.paused_ns, 1 * MS);
	assert_int_equal(account.blocked, 1);
	assert_int_equal(account.blocked_ns, 1 * MS);
	assert_int_equal(account.commits, 8);
}

/* ---- the sides of a pause or wait ---- */

TEST_WITH(opponent_fixture, pauses_and_waits_for_an_inevitable_one_show_where_it_became_so_although_it_is_gone_after)
{
	struct stmlog_loss pause = stmlog_loss_of(STMLOG_PAUSE, STMLOG_INEVITABLE, NULL);
	tell(it_starts);
	tell(it_becomes_inevitable);
	wait_for_inevitable(me(), it.origin, "FULL");
	fake_clock_advance(7 * US);
	stmlog_wait_end(me());
	stmlog_start(me());
	pause.other = it.origin;
	stmlog_wait_begin(me(), &pause);
	tell(it_commits);
	tell(it_leaves); /* and all that it knew */
	tell(it_attaches);
	fake_clock_advance(9 * US);
	stmlog_wait_end(me());
	stmlog_commit(me());
	static const enum stmlog_reason reason[2] = {STMLOG_PAUSE, STMLOG_WAIT};
	for (size_t rank = 0; rank < 2; rank++) {
		struct stmlog_entry entry = entry_at(fixture_log, rank);
		assert_int_equal(entry.cause.reason, reason[rank]);
		assert_int_equal(entry.cause.contention, STMLOG_INEVITABLE);
		assert_int_equal(entry.lost_ns, rank == 0 ? 9 * US : 7 * US);
		assert_int_equal(tb_frame_site(entry.local).position, 1);
		assert_int_equal(tb_frame_site(entry.remote).position, 520);
	}
}

TEST_WITH(opponent_fixture, a_pause_shows_where_it_began_or_what_it_is_about_wherever_the_thread_is_at_its_end)
{
	for (int has_own = 0; has_own <= 1; has_own++) {
		struct stmlog_loss pause = loss_over_write(STMLOG_PAUSE, OBJECT, 0, NULL);
		stmlog_start(me());
		pause.own = has_own ? we_touch_at(3) : 0;
		stmlog_push(me(), at(2));
		stmlog_wait_begin(me(), &pause);
		stmlog_update(me(), at(4));
		fake_clock_advance(has_own ? US : 2 * US);
		stmlog_wait_end(me());
		stmlog_pop(me());
		stmlog_commit(me());
	}
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(tb_frame_site(entry.local).position, 2);
	assert_unknown(&entry, 0);
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 1).local).position, 3);
}

/* The hook has no cause to go by. */
TEST_WITH(opponent_fixture, a_wait_by_a_loss_without_its_size_is_a_mistake_and_none)
{
	struct stmlog_loss pause = loss_over_write(STMLOG_PAUSE, OBJECT, 0, NULL);
	size_t before = misuse_total();
	pause.size = 0;
	stmlog_start(me());
	stmlog_wait_begin(me(), &pause);
	assert_true(misuse_total() > before);
	fake_clock_advance(MS);
	stmlog_commit(me());
	assert_int_equal(account_of(me()).pauses, 0);
	assert_int_equal(account_of(me()).committed_ns, MS);
}

/* ---- waits that are over ---- */

TEST_WITH(session_fixture, what_turns_out_to_have_been_a_pause_is_taken_out_of_the_attempt)
{
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_NONE, "COMMIT");
	stmlog_start(me());
	fake_clock_advance(10 * MS);
	stmlog_waited(me(), &pause, 8 * MS);
	assert_int_equal(account_of(me()).open_ns, 2 * MS);
	fake_clock_advance(1 * MS);
	stmlog_commit(me());
	struct stmlog_account account = account_of(me());
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
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_READ, "COMMIT");
	struct tb_site site = TB_HERE();
	stmlog_set_weight(me(), 16);
	stmlog_start(me());
	fake_clock_advance(1 * MS);
	stmlog_commit(me());
	fake_clock_advance(12 * MS);
	stmlog_descheduled(me(), 3 * MS, 0);
	stmlog_waited_unmeasured(me(), &pause, site, 1, 8 * MS, 2 * MS);
	fake_clock_advance(4 * MS);
	struct stmlog_account account = account_of(me());
	assert_int_equal(account.paused_ns, 8 * MS);
	assert_int_equal(account.pauses, 1);
	assert_int_equal(account.outside_ns, 5 * MS);
	assert_int_equal(account.commits, 1);
	assert_no_residual(me());
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.count, 1);
	assert_int_equal(entry.lost_ns, 8 * MS);
	assert_int_equal((uint64_t)entry.estimated_ns, 8 * MS);
	assert_int_equal(entry.descheduled_ns, 2 * MS);
	assert_int_equal(entry.site.position, site.position);
	assert_conserved(fixture_log);
}

/* Its transaction was timed: the account counts the wait by stmlog_timed(), and not twice. */
TEST_WITH(session_fixture, a_wait_of_a_timed_transaction_has_its_weight_in_the_entry_and_once_in_the_account)
{
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_READ, "COMMIT");
	struct stmlog_timed_transaction timed = {
		.site = TB_HERE(), .weight = 16, .has_committed = true, .committed_ns = 1 * MS};
	struct stmlog_timed_transaction wait = {
		.site = timed.site, .weight = 16, .is_apart = true, .paused_ns = 8 * MS};
	fake_clock_advance(1000 * MS);
	for (int i = 0; i < 10; i++)
		stmlog_timed(me(), &timed);
	stmlog_unmeasured(me(), 160, 0);
	stmlog_timed(me(), &wait);
	stmlog_waited_unmeasured(me(), &pause, timed.site, 16, 8 * MS, 0);
	assert_int_equal(account_of(me()).estimated_paused_ns, 16 * 8 * MS);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.lost_ns, 8 * MS);
	assert_int_equal((uint64_t)entry.estimated_ns, 16 * 8 * MS);
}

TEST_WITH(session_fixture, waits_that_are_over_are_told_by_their_contention)
{
	struct stmlog_loss inevitable = stmlog_loss_make(STMLOG_WAIT, STMLOG_INEVITABLE, NULL);
	struct stmlog_loss none = stmlog_loss_make(STMLOG_WAIT, STMLOG_NONE, NULL);
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	stmlog_start(me());
	fake_clock_advance(10 * MS);
	stmlog_waited(me(), &inevitable, 4 * MS);
	stmlog_waited(me(), &none, 5 * MS);
	stmlog_abort(me(), &loss);
	struct stmlog_account account = account_of(me());
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
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_NONE, NULL);
	stmlog_start(me());
	stmlog_waited(me(), &pause, 0);
	stmlog_waited(me(), &pause, 1);
	fake_clock_advance(2 * MS);
	stmlog_waited(me(), &pause, UINT64_MAX);
	fake_clock_advance(1 * MS);
	stmlog_commit(me());
	assert_int_equal(account_of(me()).paused_ns, 2 * MS);
	assert_int_equal(account_of(me()).pauses, 3);
	assert_int_equal(account_of(me()).committed_ns, 1 * MS);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.count, 3);
	assert_int_equal(entry.lost_ns, 2 * MS);
	assert_int_equal(entry.shortest_ns, 0);
}

TEST_WITH(session_fixture, a_wait_that_was_over_before_its_report_lies_before_that)
{
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_NONE, NULL);
	stmlog_start(me());
	fake_clock_advance(3 * MS);
	pause.at_ns = stmlog_now_ns();
	fake_clock_advance(1 * MS); /* the report */
	stmlog_waited(me(), &pause, 5 * MS);
	stmlog_commit_now(me(), pause.at_ns);
	assert_int_equal(account_of(me()).paused_ns, 3 * MS);
	assert_int_equal(account_of(me()).committed_ns, 0);
	assert_int_equal(entry_at(fixture_log, 0).last_ns, pause.at_ns);
	stmlog_start(me());
	fake_clock_advance(1 * MS);
	pause.at_ns = 1; /* before the attempt */
	stmlog_waited(me(), &pause, 1 * MS);
	stmlog_commit(me());
	assert_int_equal(account_of(me()).paused_ns, 3 * MS);
	assert_int_equal(account_of(me()).committed_ns, 1 * MS);
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

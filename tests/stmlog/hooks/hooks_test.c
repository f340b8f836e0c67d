/* SPDX-License-Identifier: MIT
 * The cases of the specification, through the public API, on a fake clock. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>

#include <cmocka.h>

#include "misuse.h"
#include "session_fixture.h"

static struct stmlog_loss self_abort(enum stmlog_contention_kind contention)
{
	return stmlog_loss_make(STMLOG_SELF_ABORT, contention, NULL);
}

static struct tb_site place(uintptr_t number)
{
	return tb_site_make(1000, number);
}

static struct stmlog_account account_of(const struct stmlog_thread *thread)
{
	struct stmlog_account account;
	stmlog_account_read(thread, &account);
	assert_no_residual(thread);
	return account;
}

static void nothing_recorded_enumerates_nothing(void **state)
{
	(void)state;
	struct stmlog_cursor cursor = stmlog_timelog_cursor(fixture_log);
	struct stmlog_entry entry;
	assert_int_equal(stmlog_cursor_next(&cursor, &entry), STMLOG_NEXT_END);
	struct stmlog_timelog *taken = stmlog_timelog_take(fixture_log);
	assert_int_equal(stmlog_timelog_len(taken), 0);
	assert_conserved(taken);
	stmlog_timelog_destroy(&taken);
	assert_null(taken);
}

static void an_explicit_abort_after_50_ms_is_one_entry_of_50_ms(void **state)
{
	(void)state;
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_USER_ABORT, STMLOG_NONE, NULL);
	lose(stmlog_thread_self(), 50 * MS, &loss);
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.cause.reason, STMLOG_USER_ABORT);
	assert_int_equal(entry.cause.contention, STMLOG_NONE);
	assert_int_equal(entry.count, 1);
	assert_int_equal(entry.lost_ns, 50 * MS);
	assert_int_equal(entry.longest_ns, 50 * MS);
	assert_int_equal(entry.shortest_ns, 50 * MS);
	assert_int_equal(entry.last_ns, 1000 + 50 * MS);
	assert_int_equal(entry.local_thread, stmlog_thread_id(stmlog_thread_self()));
}

static void a_commit_makes_no_entry_and_idle_time_is_outside(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	fake_clock_advance(3 * MS);
	stmlog_start(me);
	fake_clock_advance(5 * MS);
	stmlog_commit(me);
	fake_clock_advance(7 * MS);
	assert_int_equal(stmlog_timelog_len(fixture_log), 0);
	struct stmlog_account account = account_of(me);
	assert_int_equal(account.attached_ns, 15 * MS);
	assert_int_equal(account.outside_ns, 10 * MS);
	assert_int_equal(account.committed_ns, 5 * MS);
	assert_int_equal(account.commits, 1);
}

static void an_attempt_is_open_until_it_ends_and_then_goes_where_it_belongs(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_READ);
	stmlog_start(me);
	fake_clock_advance(2 * MS);
	assert_int_equal(account_of(me).open_ns, 2 * MS);
	assert_int_equal(account_of(me).committed_ns, 0);
	stmlog_abort(me, &loss);
	assert_int_equal(account_of(me).open_ns, 0);
	assert_int_equal(account_of(me).aborted_ns[STMLOG_WRITE_READ], 2 * MS);
	assert_int_equal(account_of(me).aborts[STMLOG_WRITE_READ], 1);
	stmlog_retry(me);
	fake_clock_advance(4 * MS);
	stmlog_commit(me);
	assert_int_equal(account_of(me).committed_ns, 4 * MS);
	assert_int_equal(account_of(me).outside_ns, 0);
}

static void looking_for_the_culprit_is_not_the_attempts_time(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_READ);
	stmlog_start(me);
	fake_clock_advance(2 * MS);
	stmlog_failed(me);
	fake_clock_advance(2 * MS);
	stmlog_failed(me); /* said already */
	fake_clock_advance(MS);
	assert_int_equal(account_of(me).open_ns, 5 * MS);
	stmlog_abort(me, &loss);
	stmlog_retry(me);
	fake_clock_advance(4 * MS);
	stmlog_abort(me, &loss); /* not told beforehand: the earlier failure is over */
	struct stmlog_account account = account_of(me);
	assert_int_equal(account.aborted_ns[STMLOG_WRITE_READ], 6 * MS);
	assert_int_equal(account.other_ns, 3 * MS);
	assert_int_equal(account.outside_ns, 0);
	assert_int_equal(account.events, 4); /* start, failed, two aborts */
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.lost_ns, 6 * MS);
	assert_int_equal(entry.shortest_ns, 2 * MS);
}

static void a_back_off_between_abort_and_retry_is_neither_attempts_time(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_READ);
	size_t misuses = misuse_total();
	stmlog_start(me);
	fake_clock_advance(2 * MS);
	stmlog_abort(me, &loss);
	stmlog_other_begin(me);
	fake_clock_advance(3 * MS);
	stmlog_other_end(me);
	stmlog_wait_segment(me);
	fake_clock_advance(4 * MS);
	stmlog_wait_end(me);
	fake_clock_advance(MS); /* the attempt begins with the last hook that read the clock */
	stmlog_retry(me);
	fake_clock_advance(5 * MS);
	stmlog_commit(me);
	assert_int_equal(misuse_total(), misuses);
	struct stmlog_account account = account_of(me);
	assert_int_equal(account.aborted_ns[STMLOG_WRITE_READ], 2 * MS);
	assert_int_equal(account.other_ns, 3 * MS);
	assert_int_equal(account.waiting_none_ns, 4 * MS);
	assert_int_equal(account.committed_ns, 6 * MS);
	assert_int_equal(account.commits, 1);
}

static void a_failure_that_no_abort_follows_is_forgotten(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_READ);
	stmlog_start(me);
	stmlog_failed(me);
	fake_clock_advance(MS);
	stmlog_commit(me);
	stmlog_start(me);
	fake_clock_advance(2 * MS);
	stmlog_abort(me, &loss);
	assert_int_equal(account_of(me).committed_ns, MS);
	assert_int_equal(account_of(me).aborted_ns[STMLOG_WRITE_READ], 2 * MS);
	assert_int_equal(account_of(me).other_ns, 0);
}

/* An attempt of 2 ms, a wait of 3 and an attempt of 4, told 5 ms after the commit. */
static void what_is_told_after_the_commit_has_the_times_that_it_had(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_READ);
	struct stmlog_loss wait = stmlog_loss_make(STMLOG_WAIT, STMLOG_INEVITABLE, NULL);
	uint64_t began_ns = stmlog_now_ns();
	stmlog_start(me);
	fake_clock_advance(14 * MS);
	stmlog_abort_at(me, &loss, began_ns + 2 * MS);
	stmlog_retry(me);
	stmlog_waited(me, &wait, 3 * MS);
	stmlog_commit_at(me, began_ns + 9 * MS);
	struct stmlog_account account = account_of(me);
	assert_int_equal(account.aborted_ns[STMLOG_WRITE_READ], 2 * MS);
	assert_int_equal(account.waiting_inevitable_ns, 3 * MS);
	assert_int_equal(account.committed_ns, 4 * MS);
	assert_int_equal(account.other_ns, 5 * MS);
	assert_int_equal(account.open_ns, 0);
	assert_int_equal(account.outside_ns, 0);
	assert_no_residual(me);
	assert_conserved(fixture_log);
}

/* No time is counted twice, whatever a runtime says. */
static void a_time_before_the_last_hook_is_that_of_the_last_hook(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_READ);
	fake_clock_advance(MS);
	stmlog_start(me);
	fake_clock_advance(MS);
	stmlog_abort_at(me, &loss, 1);
	stmlog_retry(me);
	stmlog_commit_at(me, 1);
	struct stmlog_account account = account_of(me);
	assert_int_equal(account.aborted_ns[STMLOG_WRITE_READ], 0);
	assert_int_equal(account.committed_ns, 0);
	assert_int_equal(account.other_ns, MS);
	assert_no_residual(me);
}

static void an_abort_without_any_frames_is_known_to_be_empty(void **state)
{
	(void)state;
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	loss.local = TB_EMPTY;
	loss.remote = TB_EMPTY;
	lose(stmlog_thread_self(), MS, &loss);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_false(tb_is_unknown(entry.local));
	assert_false(tb_is_unknown(entry.remote));
	assert_int_equal(tb_depth(entry.local), 0);
	assert_int_equal(tb_depth(entry.remote), 0);
}

static void frames_come_innermost_first(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	struct tb_stack *stack = stmlog_thread_stack(me);
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	for (uintptr_t i = 1; i <= 3; i++)
		tb_push(stack, place(i));
	loss.local = tb_current(stack);
	lose(me, MS, &loss);
	for (int i = 0; i < 3; i++)
		tb_pop(stack);
	const struct tb_frame *frame = entry_at(fixture_log, 0).local;
	for (uintptr_t i = 3; i >= 1; i--, frame = tb_down(frame))
		assert_int_equal(tb_frame_site(frame).position, i);
	assert_false(tb_is_frame(frame));
}

/* A wait outside of attempts counts to the transaction before, whose losses had another weight. */
static void a_wait_behind_a_change_of_weight_is_of_no_transaction_before(void **state)
{
	(void)state;
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

static void an_update_changes_later_entries_and_no_earlier_one(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	struct tb_stack *stack = stmlog_thread_stack(me);
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	tb_push(stack, place(1));
	loss.local = tb_current(stack);
	lose(me, 2 * MS, &loss);
	tb_update(stack, place(2));
	loss.local = tb_current(stack);
	lose(me, 1 * MS, &loss);
	tb_pop(stack);
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 0).local).position, 1);
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 1).local).position, 2);
}

static void a_thousand_short_aborts_of_one_start_are_one_entry(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	struct tb_stack *stack = stmlog_thread_stack(me);
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	stmlog_start(me);
	for (int attempt = 0; attempt < 1000; attempt++) {
		for (uintptr_t i = 1; i <= 3; i++) /* new frames each time: equal, not the same */
			tb_push(stack, place(i));
		fake_clock_advance(10 * US);
		loss.local = tb_current(stack);
		stmlog_abort(me, &loss);
		tb_unwind(stack, (struct tb_mark){0});
		stmlog_retry(me);
	}
	stmlog_commit(me);
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.count, 1000);
	assert_int_equal(entry.lost_ns, 10 * MS);
	assert_int_equal(entry.longest_ns, 10 * US);
}

static void a_full_timelog_keeps_the_costliest_and_adds_up_the_rest(void **state)
{
	(void)state;
	struct stmlog_timelog *log = stmlog_timelog_create(4, STMLOG_KEEP_COSTLIEST);
	struct stmlog_thread *me = stmlog_thread_self();
	struct tb_stack *stack = stmlog_thread_stack(me);
	stmlog_timelog_activate(log);
	for (uintptr_t i = 1; i <= 10; i++) {
		struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
		tb_push(stack, place(i));
		loss.local = tb_current(stack);
		lose(me, i, &loss);
		tb_pop(stack);
	}
	assert_int_equal(stmlog_timelog_len(log), 4);
	for (size_t rank = 0; rank < 4; rank++)
		assert_int_equal(entry_at(log, rank).lost_ns, 10 - rank);
	struct stmlog_totals totals;
	stmlog_timelog_totals(log, &totals);
	assert_int_equal(totals.evicted.count, 6);
	assert_int_equal(totals.evicted.lost_ns, 21);
	assert_int_equal(totals.by_cause[STMLOG_SELF_ABORT][STMLOG_WRITE_WRITE].lost_ns, 55);
	assert_conserved(log);
	stmlog_timelog_destroy(&log);
}

static void each_timelog_holds_what_came_while_it_was_active_and_not_cleared(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	struct stmlog_timelog *other = stmlog_timelog_create(8, STMLOG_KEEP_COSTLIEST);
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	lose(me, 1, &loss);
	stmlog_timelog_activate(other);
	lose(me, 2, &loss);
	stmlog_timelog_clear(fixture_log);
	lose(me, 4, &loss);
	stmlog_timelog_deactivate(other);
	lose(me, 8, &loss);
	assert_int_equal(entry_at(fixture_log, 0).lost_ns, 4 + 8);
	assert_int_equal(entry_at(other, 0).lost_ns, 2 + 4);
	assert_conserved(fixture_log);
	assert_conserved(other);
	stmlog_timelog_destroy(&other);
}

static void take_returns_everything_once(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_READ);
	lose(me, 5, &loss);
	struct stmlog_timelog *first = stmlog_timelog_take(fixture_log);
	lose(me, 7, &loss);
	struct stmlog_timelog *second = stmlog_timelog_take(fixture_log);
	assert_int_equal(entry_at(first, 0).lost_ns, 5);
	assert_int_equal(entry_at(second, 0).lost_ns, 7);
	assert_int_equal(stmlog_timelog_len(fixture_log), 0);
	assert_conserved(fixture_log);
	stmlog_timelog_destroy(&first);
	stmlog_timelog_destroy(&second);
}

static void a_pause_is_an_entry_and_is_taken_out_of_the_attempt(void **state)
{
	(void)state;
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

static void a_wait_for_an_inevitable_one_is_an_entry_and_a_plain_wait_is_not(void **state)
{
	(void)state;
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

static void what_turns_out_to_have_been_a_pause_is_taken_out_of_the_attempt(void **state)
{
	(void)state;
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

static void waits_that_are_over_are_told_by_their_contention(void **state)
{
	(void)state;
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

static void nobody_has_waited_longer_than_time_has_passed(void **state)
{
	(void)state;
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

/* Calls `hook` and sees that it is refused and moves nothing. */
#define assert_refused(call)                                    \
	do {                                                    \
		size_t before = misuse_total();                 \
		struct stmlog_account was = account_of(me), is; \
		call;                                           \
		is = account_of(me);                            \
		assert_int_equal(misuse_total(), before + 1);   \
		assert_memory_equal(&was, &is, sizeof was);     \
	} while (0)

static void hooks_out_of_order_are_refused(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, NULL);
	struct stmlog_loss wait = stmlog_loss_make(STMLOG_WAIT, STMLOG_NONE, NULL);
	assert_refused(stmlog_commit(me));
	assert_refused(stmlog_commit_at(me, 1));
	assert_refused(stmlog_abort(me, &loss));
	assert_refused(stmlog_abort_at(me, &loss, 1));
	assert_refused(stmlog_retry(me));
	assert_refused(stmlog_failed(me));
	assert_refused(stmlog_pause_begin(me, &pause));
	assert_refused(stmlog_pause_end(me));
	assert_refused(stmlog_waited(me, &pause, 1));
	assert_refused(stmlog_wait_end(me));
	assert_refused(stmlog_other_end(me));
	stmlog_start(me);
	assert_refused(stmlog_start(me));
	assert_refused(stmlog_retry(me));
	stmlog_pause_begin(me, &pause);
	assert_refused(stmlog_wait_begin(me, &wait));
	assert_refused(stmlog_other_begin(me));
	assert_refused(stmlog_waited(me, &pause, 1));
	assert_refused(stmlog_commit(me));
	stmlog_pause_end(me);
	stmlog_failed(me);
	assert_refused(stmlog_waited(me, &pause, 1));
	stmlog_abort(me, &loss);
	assert_refused(stmlog_waited(me, &pause, 1));
	assert_conserved(fixture_log);
}

static void causes_that_cannot_be_are_refused(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	struct stmlog_loss by_other = stmlog_loss_make(STMLOG_ABORTED_BY_OTHER, STMLOG_INEVITABLE, NULL);
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, NULL);
	struct stmlog_loss waits = stmlog_loss_make(STMLOG_WAIT, STMLOG_WRITE_WRITE, NULL);
	struct stmlog_loss beyond = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_CONTENTIONS, NULL);
	stmlog_start(me);
	assert_refused(stmlog_abort(me, &by_other));
	assert_refused(stmlog_abort(me, &pause));
	assert_refused(stmlog_abort(me, &beyond));
	assert_refused(stmlog_pause_begin(me, &by_other));
	assert_refused(stmlog_wait_begin(me, &waits));
	fake_clock_advance(MS);
	assert_refused(stmlog_waited(me, &by_other, 1));
	assert_refused(stmlog_waited(me, &waits, 1));
	pause.cause.contention = STMLOG_CONTENTIONS;
	assert_refused(stmlog_waited(me, &pause, 1));
	stmlog_commit(me);
}

static void hooks_of_nobody_do_nothing(void **state)
{
	(void)state;
	size_t before = misuse_total();
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	stmlog_start(NULL);
	stmlog_failed(NULL);
	stmlog_abort(NULL, &loss);
	stmlog_abort_at(NULL, &loss, 1);
	stmlog_retry(NULL);
	stmlog_commit(NULL);
	stmlog_commit_at(NULL, 1);
	stmlog_pause_begin(NULL, &loss);
	stmlog_pause_end(NULL);
	stmlog_waited(NULL, &loss, 1);
	stmlog_wait_begin(NULL, &loss);
	stmlog_wait_end(NULL);
	stmlog_other_begin(NULL);
	stmlog_other_end(NULL);
	stmlog_unmeasured(NULL, 1, 1);
	stmlog_count_unavailable_traceback(NULL);
	assert_int_equal(misuse_total(), before);
}

static void a_clock_that_goes_back_stands_still_instead(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	stmlog_start(me);
	fake_clock_advance(100);
	stmlog_commit(me);
	fake_clock_set(1000);
	stmlog_start(me);
	stmlog_commit(me);
	assert_int_equal(account_of(me).committed_ns, 100);
	assert_int_equal(account_of(me).outside_ns, 0);
}

static void unmeasured_transactions_are_counted_without_time(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	uint64_t events = account_of(me).events;
	stmlog_unmeasured(me, 15, 3);
	struct stmlog_account account = account_of(me);
	assert_int_equal(account.unmeasured_commits, 15);
	assert_int_equal(account.unmeasured_aborts, 3);
	assert_int_equal(account.commits, 0);
	assert_int_equal(account.events, events);
}

/* Of 7 commits and 2 aborts; `arg` is whether these are all. */
static bool count_some(void *arg, struct stmlog_unmeasured_counts *counts)
{
	*counts = (struct stmlog_unmeasured_counts){7, 2};
	return *(bool *)arg;
}

static void counts_of_the_runtimes_own_are_added_when_the_account_is_read(void **state)
{
	(void)state;
	struct stmlog_thread *me = stmlog_thread_self();
	bool is_whole = true;
	stmlog_read_unmeasured_by(NULL, count_some, &is_whole);
	stmlog_read_unmeasured_by(me, count_some, &is_whole);
	stmlog_unmeasured(me, 15, 3);
	assert_int_equal(account_of(me).unmeasured_commits, 22);
	assert_int_equal(account_of(me).unmeasured_aborts, 5);
	/* A thread that attaches later has no reader. */
	stmlog_thread_detach();
	assert_int_equal(account_of(stmlog_thread_attach()).unmeasured_commits, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SESSION_TEST(nothing_recorded_enumerates_nothing),
		SESSION_TEST(an_explicit_abort_after_50_ms_is_one_entry_of_50_ms),
		SESSION_TEST(a_commit_makes_no_entry_and_idle_time_is_outside),
		SESSION_TEST(an_attempt_is_open_until_it_ends_and_then_goes_where_it_belongs),
		SESSION_TEST(looking_for_the_culprit_is_not_the_attempts_time),
		SESSION_TEST(a_back_off_between_abort_and_retry_is_neither_attempts_time),
		SESSION_TEST(a_failure_that_no_abort_follows_is_forgotten),
		SESSION_TEST(what_is_told_after_the_commit_has_the_times_that_it_had),
		SESSION_TEST(a_time_before_the_last_hook_is_that_of_the_last_hook),
		SESSION_TEST(an_abort_without_any_frames_is_known_to_be_empty),
		SESSION_TEST(frames_come_innermost_first),
		SESSION_TEST(a_wait_behind_a_change_of_weight_is_of_no_transaction_before),
		SESSION_TEST(an_update_changes_later_entries_and_no_earlier_one),
		SESSION_TEST(a_thousand_short_aborts_of_one_start_are_one_entry),
		SESSION_TEST(a_full_timelog_keeps_the_costliest_and_adds_up_the_rest),
		SESSION_TEST(each_timelog_holds_what_came_while_it_was_active_and_not_cleared),
		SESSION_TEST(take_returns_everything_once),
		SESSION_TEST(a_pause_is_an_entry_and_is_taken_out_of_the_attempt),
		SESSION_TEST(a_wait_for_an_inevitable_one_is_an_entry_and_a_plain_wait_is_not),
		SESSION_TEST(what_turns_out_to_have_been_a_pause_is_taken_out_of_the_attempt),
		SESSION_TEST(waits_that_are_over_are_told_by_their_contention),
		SESSION_TEST(nobody_has_waited_longer_than_time_has_passed),
		SESSION_TEST(hooks_out_of_order_are_refused),
		SESSION_TEST(causes_that_cannot_be_are_refused),
		SESSION_TEST(hooks_of_nobody_do_nothing),
		SESSION_TEST(a_clock_that_goes_back_stands_still_instead),
		SESSION_TEST(unmeasured_transactions_are_counted_without_time),
		SESSION_TEST(counts_of_the_runtimes_own_are_added_when_the_account_is_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

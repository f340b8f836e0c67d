/* SPDX-License-Identifier: MIT
 * A loss becomes an entry of the active timelogs: with its tracebacks, and equal ones as one. */
#include "loss_and_account.h"

TEST_WITH(session_fixture, nothing_recorded_enumerates_nothing)
{
	struct stmlog_cursor cursor = stmlog_timelog_cursor(fixture_log);
	struct stmlog_entry entry;
	assert_int_equal(stmlog_cursor_next(&cursor, &entry), STMLOG_NEXT_END);
	struct stmlog_timelog *taken = stmlog_timelog_take(fixture_log);
	assert_int_equal(stmlog_timelog_len(taken), 0);
	assert_conserved(taken);
	stmlog_timelog_destroy(&taken);
	assert_null(taken);
}

TEST_WITH(session_fixture, an_explicit_abort_after_50_ms_is_one_entry_of_50_ms)
{
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

static struct tb_site place(uintptr_t number)
{
	return tb_site_make(1000, number);
}

TEST_WITH(session_fixture, an_abort_without_any_frames_is_known_to_be_empty)
{
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

TEST_WITH(session_fixture, frames_come_innermost_first)
{
	struct tb_stack *stack = stmlog_thread_stack(me());
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	for (uintptr_t i = 1; i <= 3; i++)
		tb_push(stack, place(i));
	loss.local = tb_current(stack);
	lose(me(), MS, &loss);
	for (int i = 0; i < 3; i++)
		tb_pop(stack);
	const struct tb_frame *frame = entry_at(fixture_log, 0).local;
	for (uintptr_t i = 3; i >= 1; i--, frame = tb_down(frame))
		assert_int_equal(tb_frame_site(frame).position, i);
	assert_false(tb_is_frame(frame));
}

TEST_WITH(session_fixture, an_update_changes_later_entries_and_no_earlier_one)
{
	struct tb_stack *stack = stmlog_thread_stack(me());
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	tb_push(stack, place(1));
	loss.local = tb_current(stack);
	lose(me(), 2 * MS, &loss);
	tb_update(stack, place(2));
	loss.local = tb_current(stack);
	lose(me(), 1 * MS, &loss);
	tb_pop(stack);
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 0).local).position, 1);
	assert_int_equal(tb_frame_site(entry_at(fixture_log, 1).local).position, 2);
}

TEST_WITH(session_fixture, a_thousand_short_aborts_of_one_start_are_one_entry)
{
	struct tb_stack *stack = stmlog_thread_stack(me());
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	stmlog_start(me());
	for (int attempt = 0; attempt < 1000; attempt++) {
		for (uintptr_t i = 1; i <= 3; i++) /* new frames each time: equal, not the same */
			tb_push(stack, place(i));
		fake_clock_advance(10 * US);
		loss.local = tb_current(stack);
		stmlog_abort(me(), &loss);
		tb_unwind(stack, (struct tb_mark){0});
		stmlog_retry(me());
	}
	stmlog_commit(me());
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
	struct stmlog_entry entry = entry_at(fixture_log, 0);
	assert_int_equal(entry.count, 1000);
	assert_int_equal(entry.lost_ns, 10 * MS);
	assert_int_equal(entry.longest_ns, 10 * US);
}

TEST_WITH(session_fixture, a_full_timelog_keeps_the_costliest_and_adds_up_the_rest)
{
	OWNED(stmlog_timelog_destroy) struct stmlog_timelog *log = stmlog_timelog_create(4);
	struct tb_stack *stack = stmlog_thread_stack(me());
	stmlog_timelog_activate(log);
	for (uintptr_t i = 1; i <= 10; i++) {
		struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
		tb_push(stack, place(i));
		loss.local = tb_current(stack);
		lose(me(), i, &loss);
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
}

TEST_WITH(session_fixture, each_timelog_holds_what_came_while_it_was_active_and_not_cleared)
{
	OWNED(stmlog_timelog_destroy) struct stmlog_timelog *other = stmlog_timelog_create(8);
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	lose(me(), 1, &loss);
	stmlog_timelog_activate(other);
	lose(me(), 2, &loss);
	stmlog_timelog_clear(fixture_log);
	lose(me(), 4, &loss);
	stmlog_timelog_deactivate(other);
	lose(me(), 8, &loss);
	assert_int_equal(entry_at(fixture_log, 0).lost_ns, 4 + 8);
	assert_int_equal(entry_at(other, 0).lost_ns, 2 + 4);
	assert_conserved(fixture_log);
	assert_conserved(other);
}

TEST_WITH(session_fixture, take_returns_everything_once)
{
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_READ);
	lose(me(), 5, &loss);
	OWNED(stmlog_timelog_destroy) struct stmlog_timelog *first = stmlog_timelog_take(fixture_log);
	lose(me(), 7, &loss);
	OWNED(stmlog_timelog_destroy) struct stmlog_timelog *second = stmlog_timelog_take(fixture_log);
	assert_int_equal(entry_at(first, 0).lost_ns, 5);
	assert_int_equal(entry_at(second, 0).lost_ns, 7);
	assert_int_equal(stmlog_timelog_len(fixture_log), 0);
	assert_conserved(fixture_log);
}

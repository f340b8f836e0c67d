/* SPDX-License-Identifier: MIT
 * Which times inside libitm are taken for waits, and how they are reported. */
#include "wait_fixture.h"

#define LONG ((uint64_t)1 << 44) /* ticks: hours */

static void pass(uint64_t ticks)
{
	fake_clock_advance(ticks / FAKE_TICKS_PER_NS);
}

static bool begin_is_watched(uint32_t properties)
{
	itm_self.flags = ITM_MEASURED;
	itm_self.failures = 7;
	itm_wait_timer_start_begin(&itm_self, properties);
	assert_int_equal(itm_self.failures, 0);
	return itm_self.entered != 0;
}

static bool restart_is_watched(uint32_t flags, uint16_t kind)
{
	itm_self.flags = flags;
	itm_self.kind = kind;
	return itm_wait_count_rollback(&itm_self);
}

/* Must come first: rings are never freed. */
TEST_WITH(fixture, where_nobody_else_has_transacted_nothing_is_watched)
{
	serial = 1;
	assert_false(begin_is_watched(0)); /* not even by the thread itself */
	assert_non_null(itm_ring_acquire(1));
	assert_false(begin_is_watched(0));
	assert_int_equal(itm_self.flags, ITM_MEASURED);
	itm_wait_timer_start_in_transaction(&itm_self);
	assert_int_equal(itm_self.entered, 0);
	assert_non_null(itm_ring_acquire(2));
	assert_true(begin_is_watched(0));
}

TEST_WITH(fixture, without_a_steady_time_stamp_nothing_is_watched)
{
	serial = 1;
	itm_agent.has_steady_tsc = false;
	assert_false(begin_is_watched(ITM_GOES_IRREVOCABLE));
	assert_false(restart_is_watched(itm_self.flags, ITM_KIND_MODE));
}

TEST_WITH(fixture, begin_is_watched_where_it_may_wait)
{
	assert_false(begin_is_watched(0));
	assert_int_equal(itm_self.flags, ITM_MEASURED | ITM_TIMED);
	assert_true(begin_is_watched(ITM_GOES_IRREVOCABLE));
	assert_int_equal(itm_self.flags, ITM_MEASURED | ITM_TIMED | ITM_SERIAL);
	serial = 2;
	assert_true(begin_is_watched(0));
	assert_int_equal(itm_self.flags, ITM_MEASURED | ITM_TIMED | ITM_SERIAL);
	itm_locks.serial = NULL;
	assert_true(begin_is_watched(0));
	assert_int_equal(itm_self.flags, ITM_MEASURED | ITM_TIMED);
	itm_locks.serial = &serial;
	serial = 0;
	itm_agent.method = ITM_METHOD_GLOBAL_LOCK;
	assert_true(begin_is_watched(0));
	assert_int_equal(itm_self.flags, ITM_MEASURED | ITM_TIMED);
	itm_agent.method = ITM_METHOD_LOCKS;
	set_transaction(0);
	assert_true(begin_is_watched(0));
	assert_int_equal(itm_self.flags, ITM_MEASURED | ITM_TIMED | ITM_SERIAL | ITM_FIRST);
}

TEST_WITH(fixture, a_restart_is_watched_where_it_may_take_the_serial_lock)
{
	const uint32_t timed = ITM_MEASURED | ITM_TIMED;
	assert_false(restart_is_watched(timed, ITM_KIND_COMMIT));
	assert_true(restart_is_watched(timed, ITM_KIND_MODE));
	assert_int_equal(itm_self.flags, timed | ITM_SERIAL);
	assert_false(restart_is_watched(itm_self.flags, ITM_KIND_WRITE));
	assert_int_equal(itm_self.flags, timed);
	assert_true(restart_is_watched(timed, ITM_KIND_NESTED));
	assert_true(restart_is_watched(timed, ITM_KIND_ABORT));
	assert_false(restart_is_watched(ITM_MEASURED, ITM_KIND_ABORT));
	assert_false(restart_is_watched(timed | ITM_CANCELLING, ITM_KIND_ABORT)); /* there is no next attempt */
	itm_self.failures = 99;
	assert_false(restart_is_watched(timed, ITM_KIND_WRITE));
	assert_true(restart_is_watched(timed, ITM_KIND_WRITE));
	itm_self.failures = 0;
	itm_agent.method = ITM_METHOD_GLOBAL_LOCK;
	assert_true(restart_is_watched(timed, ITM_KIND_WRITE));
	assert_int_equal(itm_self.flags, timed);
}

/* A commit that is watched was called LONG ticks ago. */
static void call_commit(uint32_t flags)
{
	itm_self.ring = &itm_ring_dummy;
	itm_self.flags = flags;
	itm_self.commit_ticks = 0;
	itm_wait_timer_start_commit(&itm_self);
	assert_int_equal(itm_self.entered, itm_ticks_now());
	pass(LONG);
}

TEST_WITH(fixture, a_commit_without_deferred_work_waits_until_it_returns)
{
	const struct itm_ring_past *past = &itm_ring_dummy.past[0];
	call_commit(ITM_MEASURED | ITM_TIMED);
	assert_int_equal(armed, 0);
	uint64_t now = itm_ticks_now();
	itm_wait_commit_left(&itm_self, now);
	assert_int_equal(itm_self.commit_ticks, LONG);
	assert_int_equal(itm_self.entered, 0);
	assert_int_equal(AO_load(&past->left), now);
	itm_wait_commit_left(&itm_self, now + 1); /* it has left */
	assert_int_equal(itm_self.commit_ticks, LONG);
	assert_int_equal(AO_load(&past->left), now);
}

TEST_WITH(fixture, a_commit_with_deferred_work_waits_until_its_commit_action)
{
	const struct itm_ring_past *past = &itm_ring_dummy.past[0];
	call_commit(ITM_MEASURED | ITM_TIMED | ITM_HAS_FREED);
	assert_int_equal(armed, 1);
	commit_action(NULL);
	uint64_t left = AO_load(&past->left);
	assert_int_equal(left, itm_ticks_now());
	assert_int_equal(itm_self.commit_ticks, LONG);
	pass(LONG);
	itm_wait_commit_left(&itm_self, itm_ticks_now()); /* the work is done, and the commit returns */
	assert_int_equal(itm_self.commit_ticks, LONG);
	assert_int_equal(AO_load(&past->left), left);
	commit_action(NULL); /* of a commit that is not watched, since it has only read */
	assert_int_equal(AO_load(&past->left), left);
}

TEST_WITH(fixture, only_watched_transactions_get_a_commit_action)
{
	const uint32_t others[] = {0, ITM_MEASURED, ITM_STOPWATCH | ITM_TIMED};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		itm_self.flags = others[i];
		itm_wait_add_commit_action(&itm_self);
	}
	assert_int_equal(armed, 0);
}

TEST_WITH(fixture, what_takes_long_is_told_with_its_cause_and_place)
{
	uintptr_t site, entry;
	struct tb_stack *stack = stmlog_thread_stack(itm_self.thread);
	static const struct {
		enum itm_wait wait;
		const char *detail;
	} rows[] = {
		{ITM_WAIT_BEGIN, "BEGIN_WAIT"},
		{ITM_WAIT_RESTART, "RESTART_WAIT"},
		{ITM_WAIT_UPGRADE, "UPGRADE_WAIT"},
		{ITM_WAIT_COMMIT, "COMMIT_WAIT"},
	};
	itm_self.site_slot = &site;
	itm_self.slot = &entry;
	tb_push(stack, TB_HERE());
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		start((4 - i) * MS);
		itm_self.trace = rows[i].wait == ITM_WAIT_RESTART ? tb_current(stack) : NULL;
		traced = NULL;
		itm_wait_report(rows[i].wait, LONG, itm_ticks_now()); /* more than has passed: all of it */
		stmlog_commit(itm_self.thread);
		struct stmlog_entry found = entry_at(fixture_log, i);
		assert_string_equal(found.cause.detail, rows[i].detail);
		assert_int_equal(found.lost_ns, (4 - i) * MS);
		assert_int_equal(tb_depth(found.local), 1);
		assert_ptr_equal(traced, rows[i].wait == ITM_WAIT_BEGIN     ? &site
					 : rows[i].wait == ITM_WAIT_RESTART ? NULL
									    : &entry);
	}
	tb_pop(stack);
	struct stmlog_account account;
	stmlog_account_read(itm_self.thread, &account);
	assert_int_equal(account.waiting_inevitable_ns, 7 * MS);
	assert_int_equal(account.paused_ns, 3 * MS);
	assert_int_equal(account.committed_ns, 0);
	assert_no_residual(itm_self.thread);
}

TEST_WITH(fixture, what_does_not_take_long_is_work)
{
	start(MS);
	itm_self.entered = itm_ticks_now();
	pass(ITM_WAIT_MIN);
	itm_wait_timer_stop_and_report(&itm_self, ITM_WAIT_RESTART);
	itm_self.commit_ticks = ITM_WAIT_MIN;
	itm_wait_report_commit(&itm_self, itm_ticks_now());
	itm_self.commit_ticks = 0;
	itm_wait_report_commit(&itm_self, itm_ticks_now());
	itm_self.entered = 0;
	itm_wait_timer_stop_and_report(&itm_self, ITM_WAIT_RESTART);
	itm_wait_timer_stop_and_report_begin(&itm_self);
	stmlog_commit(itm_self.thread);
	assert_int_equal(stmlog_timelog_len(fixture_log), 0);
}

/* Another thread's transaction is under way when this one restarts to run alone, and has ended when it does. If it has
 * run alone itself, this one has waited for the lock. */
TEST_WITH(fixture, a_restart_that_waits_for_one_that_does_not_run_alone_waits_to_be_the_last)
{
	static struct itm_waiting waiting;
	struct itm_thread other = {.ring = itm_ring_acquire(2)};
	itm_self.ring = itm_ring_acquire(1);
	itm_self.waiting = &waiting;
	itm_agent.options.depth = 4;
	for (uint64_t is_alone = 0; is_alone < 2; is_alone++) {
		start((2 - is_alone) * MS);
		assert_true(restart_is_watched(ITM_MEASURED | ITM_TIMED, ITM_KIND_MODE));
		AO_store(&other.ring->site, 0x200);
		itm_wait_timer_start(&itm_self, true);
		if (is_alone)
			itm_alone_record(&other, 0, ITM_WAY_OTHER);
		itm_ring_note_end(other.ring);
		pass(LONG);
		itm_wait_timer_stop_and_report(&itm_self, ITM_WAIT_RESTART);
		stmlog_commit(itm_self.thread);
		struct stmlog_entry found = entry_at(fixture_log, is_alone);
		assert_string_equal(found.cause.detail, is_alone ? "RESTART_WAIT" : "UPGRADE_WAIT");
		assert_int_equal(found.cause.reason, STMLOG_WAIT);
		assert_int_equal(found.remote_thread, 2);
		assert_int_equal(found.grade, STMLOG_GRADE_CERTAIN);
	}
	itm_ring_release(other.ring);
	itm_ring_release(itm_self.ring);
}

/* Checking the reads again takes a part of the time of the transaction before. */
TEST_WITH(fixture, commit_may_take_an_eighth_of_the_transaction_for_itself)
{
	const uint64_t eighth = ITM_WAIT_OWN + FAKE_TICKS_PER_NS * MS;
	start(9 * MS);
	itm_wait_report(ITM_WAIT_COMMIT, eighth - FAKE_TICKS_PER_NS, itm_ticks_now());
	itm_wait_report(ITM_WAIT_UPGRADE, eighth - FAKE_TICKS_PER_NS, itm_ticks_now());
	assert_int_equal(stmlog_timelog_len(fixture_log), 0);
	itm_wait_report(ITM_WAIT_RESTART, eighth - FAKE_TICKS_PER_NS, itm_ticks_now());
	itm_wait_report(ITM_WAIT_COMMIT, eighth, itm_ticks_now());
	itm_wait_report(ITM_WAIT_UPGRADE, eighth, itm_ticks_now());
	stmlog_commit(itm_self.thread);
	assert_int_equal(stmlog_timelog_len(fixture_log), 3);
}

TEST_WITH(fixture, a_threads_first_begin_may_take_long)
{
	start(MS);
	itm_self.flags = ITM_MEASURED | ITM_TIMED | ITM_FIRST;
	itm_self.entered = itm_ticks_now();
	pass(ITM_WAIT_MIN_FIRST);
	itm_wait_timer_stop_and_report_begin(&itm_self);
	assert_int_equal(stmlog_timelog_len(fixture_log), 0);
	itm_self.entered = itm_ticks_now();
	pass(ITM_WAIT_MIN_FIRST + FAKE_TICKS_PER_NS);
	itm_wait_timer_stop_and_report_begin(&itm_self);
	stmlog_commit(itm_self.thread);
	assert_int_equal(stmlog_timelog_len(fixture_log), 1);
}

/* A wait in begin does not count as time of the transaction. */
TEST_WITH(fixture, a_wait_in_begin_is_no_part_of_the_body)
{
	start(MS);
	uint64_t began_ns = itm_self.started_ns;
	itm_wait_report(ITM_WAIT_BEGIN, ITM_WAIT_OWN + LONG, itm_ticks_now());
	assert_int_equal(itm_self.started_ns - began_ns, LONG / FAKE_TICKS_PER_NS);
	stmlog_commit(itm_self.thread);
}

TEST_WITH(fixture, a_place_that_cannot_be_found_is_counted)
{
	start(MS);
	itm_self.trace = NULL;
	itm_wait_report(ITM_WAIT_RESTART, LONG, itm_ticks_now());
	stmlog_commit(itm_self.thread);
	assert_true(tb_is_unknown(entry_at(fixture_log, 0).local));
}

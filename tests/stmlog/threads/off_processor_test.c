/* SPDX-License-Identifier: MIT
 * Time off the processor: from which state it is taken. */
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "fake_interruption.h"
#include "losses.h"
#include "off_processor.h"
#include "session_fixture.h"
#include "test.h"

#define SECOND (1000 * (uint64_t)MS)

static struct stmlog_account account(void)
{
	return account_of(me());
}

static void start_watched(void)
{
	off_processor_watch(me());
	stmlog_start(me());
}

/* A second passes, in which the thread sleeps for 2 ms; the kernel tells of it by the word, or does not. */
#define SLEPT_NS (2 * (uint64_t)MS)

static void sleep_unnoticed(void)
{
	fake_clock_advance_asleep(SLEPT_NS);
	fake_clock_advance(SECOND - SLEPT_NS);
}

static void sleep_noticed(void)
{
	sleep_unnoticed();
	fake_interruption();
}

static void begin_pause(void)
{
	const struct stmlog_loss loss = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, "WORD");
	stmlog_wait_begin(me(), &loss);
}

static void lose_it(void)
{
	const struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "WORD");
	stmlog_abort(me(), &loss);
}

/* ---- claims ---- */

TEST_WITH(session_fixture, time_off_in_an_attempt_is_no_part_of_its_loss)
{
	start_watched();
	sleep_noticed();
	lose_it();
	assert_int_equal(account().descheduled, 1);
	assert_int_equal(account().descheduled_ns, SLEPT_NS);
	assert_int_equal(account().aborted_ns[STMLOG_WRITE_WRITE], SECOND - SLEPT_NS);
	assert_int_equal(entry_at(fixture_log, 0).lost_ns, SECOND - SLEPT_NS);
	assert_int_equal(entry_at(fixture_log, 0).descheduled_ns, SLEPT_NS);
}

TEST_WITH(session_fixture, time_off_in_an_attempt_that_commits_is_told_apart)
{
	start_watched();
	sleep_noticed();
	stmlog_commit(me());
	assert_int_equal(account().descheduled_ns, SLEPT_NS);
	assert_int_equal(account().committed_ns, SECOND - SLEPT_NS);
}

TEST_WITH(session_fixture, time_off_that_the_kernel_does_not_tell_of_is_not_looked_for)
{
	start_watched();
	sleep_unnoticed();
	stmlog_commit(me());
	assert_int_equal(account().descheduled, 0);
	assert_int_equal(account().committed_ns, SECOND);
}

TEST_WITH(session_fixture, time_off_outside_of_transactions_is_outside)
{
	start_watched();
	stmlog_commit(me());
	sleep_noticed();
	stmlog_start(me());
	stmlog_commit(me());
	assert_int_equal(account().descheduled_ns, 0);
	assert_int_equal(account().outside_ns, SECOND);
}

TEST_WITH(session_fixture, time_off_is_moved_once)
{
	start_watched();
	sleep_noticed();
	lose_it();
	stmlog_retry(me());
	fake_clock_advance(SECOND);
	fake_interruption(); /* by a signal handler, say */
	stmlog_commit(me());
	assert_int_equal(account().descheduled_ns, SLEPT_NS);
}

TEST_WITH(session_fixture, a_pause_that_sleeps_is_a_pause)
{
	start_watched();
	begin_pause();
	sleep_noticed();
	stmlog_wait_end(me());
	stmlog_commit(me());
	assert_int_equal(account().descheduled_ns, 0);
	assert_int_equal(account().paused_ns, SECOND);
}

TEST_WITH(session_fixture, time_off_before_a_pause_is_not_the_pauses)
{
	start_watched();
	sleep_noticed();
	begin_pause();
	fake_clock_advance(MS);
	stmlog_wait_end(me());
	assert_int_equal(entry_at(fixture_log, 0).descheduled_ns, 0);
	lose_it();
	assert_int_equal(account().descheduled_ns, SLEPT_NS);
	assert_int_equal(entry_at(fixture_log, 0).descheduled_ns, SLEPT_NS);
	assert_int_equal(account().paused_ns, MS);
}

TEST_WITH(session_fixture, sleep_that_is_reported_as_a_wait_is_the_wait)
{
	const struct stmlog_loss loss = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, "WORD");
	start_watched();
	sleep_noticed();
	stmlog_waited(me(), &loss, SECOND / 2);
	stmlog_commit(me());
	assert_int_equal(account().paused_ns, SECOND / 2);
	assert_int_equal(account().descheduled_ns, 0);
}

TEST_WITH(session_fixture, a_transaction_that_is_blocked_is_not_descheduled)
{
	start_watched();
	abort_asked(me(), "RETRY");
	wait_blocked(me());
	sleep_noticed();
	stmlog_wait_end(me());
	stmlog_retry(me());
	stmlog_commit(me());
	assert_int_equal(account().descheduled_ns, 0);
	assert_int_equal(account().blocked_ns, SECOND);
}

TEST_WITH(session_fixture, an_old_reading_is_renewed_when_a_transaction_starts)
{
	start_watched();
	stmlog_commit(me());
	sleep_unnoticed(); /* in place of the time of many interrupts */
	stmlog_start(me());
	sleep_noticed();
	stmlog_commit(me());
	assert_int_equal(account().descheduled_ns, SLEPT_NS);
}

TEST_WITH(session_fixture, a_lane_is_looked_at_while_it_is_claimed)
{
	OWNED(stmlog_thread_close) struct stmlog_thread *lane = stmlog_thread_open("lane");
	off_processor_watch(lane);
	stmlog_claim(lane);
	stmlog_start(lane);
	sleep_noticed();
	stmlog_release(lane);
	assert_int_equal(account_of(lane).descheduled_ns, SLEPT_NS);
	sleep_noticed(); /* the lane does not run */
	stmlog_claim(lane);
	stmlog_commit(lane);
	assert_int_equal(account_of(lane).descheduled_ns, SLEPT_NS);
	assert_int_equal(account_of(lane).committed_ns, SECOND - SLEPT_NS);
}

TEST_WITH(session_fixture, a_runtime_that_reports_it_is_not_looked_at)
{
	start_watched();
	sleep_noticed();
	stmlog_descheduled(me(), MS, 0);
	stmlog_commit(me());
	sleep_noticed();
	stmlog_start(me());
	sleep_noticed();
	stmlog_commit(me());
	assert_int_equal(account().descheduled_ns, MS);
}

TEST_WITH(session_fixture, a_runtime_that_looks_itself_gets_the_threads_own_word)
{
	off_processor_watch(me());
	volatile uint64_t *own = stmlog_interruption_word(me());
	assert_ptr_equal(own, interruption_word(interruption_place()));
	struct stmlog_moment before = stmlog_interruption_look(own);
	assert_int_not_equal(*own, 0);
	sleep_noticed();
	assert_int_equal(*own, 0);
	struct stmlog_moment behind = stmlog_interruption_look(own);
	assert_int_equal(behind.now_ns - before.now_ns, SECOND);
	assert_int_equal(behind.off_ns - before.off_ns, SLEPT_NS);
	assert_int_equal(behind.sleeps - before.sleeps, 1);
	stmlog_start(me());
	sleep_noticed();
	stmlog_commit(me());
	assert_int_equal(account().descheduled, 0);
	stmlog_interruption_end(own);
	assert_int_equal(*own, 0);
}

/* getrusage() tells the processor time of an earlier moment. */
TEST_WITH(session_fixture, a_short_time_off_is_read_without_the_clock_of_processor_time)
{
	off_processor_watch(me());
	volatile uint64_t *own = stmlog_interruption_word(me());
	uint64_t before_ns = stmlog_interruption_look(own).off_ns;
	fake_clock_lag_ns = 30000;
	fake_clock_advance_asleep(50000);
	uint64_t short_ns = stmlog_interruption_look(own).off_ns - before_ns;
	fake_clock_advance_asleep(SLEPT_NS);
	uint64_t long_ns = stmlog_interruption_look(own).off_ns - before_ns;
	fake_clock_lag_ns = 0;
	assert_in_range(short_ns, 80000, 81000);
	assert_int_equal(long_ns, 50000 + SLEPT_NS);
}

/* ---- unmeasured attempts ---- */

/* From here on the library's clock can be compared with the kernel's. */
static void look_on_comparable_clock(void)
{
	clock_use(NULL);
	(void)stmlog_off_processor_ns(NULL);
}

TEST_WITH(session_fixture, time_off_that_a_runtime_asks_for_is_found_once)
{
	look_on_comparable_clock();
	sleep_noticed();
	assert_int_equal(stmlog_off_processor_ns(me()), SLEPT_NS);
	assert_int_equal(account().descheduled, 0); /* it has slept */
	fake_interruption();
	assert_int_equal(stmlog_off_processor_ns(me()), 0);
}

TEST_WITH(session_fixture, time_off_that_a_runtime_asks_for_is_descheduled_unless_the_thread_has_slept)
{
	look_on_comparable_clock();
	stmlog_start(me());
	stmlog_commit(me());
	fake_preemption(MS);
	assert_int_equal(stmlog_off_processor_ns(me()), MS);
	assert_int_equal(account().descheduled_ns, MS);
}

static bool is_child_told_apart(void)
{
	fake_clock_forget_processor_time();
	stmlog_start(me());
	fake_clock_advance(SECOND);
	fake_interruption();
	stmlog_commit(me());
	return account().descheduled_ns == 0;
}

/* The child's time on the processor begins with 0: it would seem to have been off for as long as the parent ran. */
TEST_WITH(session_fixture, a_forked_child_was_not_off_the_processor_while_its_parent_ran)
{
	fake_clock_advance(SECOND);
	start_watched();
	stmlog_commit(me());
	if (in_forked_child())
		_exit(is_child_told_apart() ? 0 : 1);
}

TEST_WITH(session_fixture, the_times_of_another_clock_are_not_compared)
{
	assert_int_equal(me()->notice_place, INTERRUPTION_NONE);
	assert_false(off_processor_is_known());
	assert_int_equal(stmlog_off_processor_ns(me()), 0);
}

enum { STOPPED = 16 }; /* readings, as in off_processor.c */

/* The last call of a reading: each reading is interrupted. */
static uint64_t interrupted_clock(void)
{
	fake_interruption();
	return fake_clock_now_ns();
}

/* Makes a reading at the start, and one at the commit. Returns whether hooks of the thread still look at its word. */
static bool looks_after(int transactions)
{
	for (int i = 0; i < transactions; i++) {
		stmlog_start(me());
		stmlog_commit(me());
	}
	return me()->notice_place != INTERRUPTION_NONE;
}

/* The last test, because no thread of the process looks any more afterwards. */
TEST(threads_look_no_more_only_after_many_interrupted_readings_in_a_row)
{
	stmlog_set_clock(interrupted_clock);
	assert_int_equal(stmlog_open(&(struct stmlog_setup){.report = "none"}), 0);
	assert_non_null(stmlog_thread_open(NULL));
	off_processor_watch(me());
	bool looks_after_all = looks_after(STOPPED / 2), looks_after_more = looks_after(1);
	stmlog_close();
	stmlog_set_clock(NULL);
	assert_true(looks_after_all);
	assert_false(looks_after_more);
}

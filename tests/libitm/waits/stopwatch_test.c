/* SPDX-License-Identifier: MIT
 * The parts of a timed transaction, from time stamps written by hand. */
#include "agent.h"
#include "fake_interruption.h"
#include "preemption.h"
#include "ring.h"
#include "session_fixture.h"
#include "stacks.h"
#include "stopwatch.h"
#include "test.h"
#include "wait.h"

/* Ticks. */
#define LONG UINT64_C(1000000)

struct tb_frame *itm_trace_unmeasured(uintptr_t site)
{
	(void)site;
	return TB_UNKNOWN;
}

struct tb_frame *itm_trace_entry(void)
{
	return TB_UNKNOWN;
}

struct tb_frame *itm_trace_begin(void)
{
	return TB_UNKNOWN;
}

static void set_up(void)
{
	session_set_up();
	itm_agent.method = ITM_METHOD_LOCKS;
	itm_agent.has_totals = false;
	itm_agent.has_steady_tsc = true;
	itm_ticks_prepare();
	itm_stopwatch_prepare();
	itm_self = (struct itm_thread){
		.thread = stmlog_thread_self(), .flags = ITM_STOPWATCH, .site = 0x1000, .ring = &itm_ring_dummy};
	itm_self.critical = &itm_never_interrupted;
	itm_self.watch.weight = 1;
	fake_clock_advance(20 * MS); /* so that all parts fit into the attached time */
}

static const struct test_fixture fixture = {set_up, session_tear_down};

/* A transaction whose stretches last so many ticks; commit lasts the last of them. */
static uint64_t transact(uint64_t beginning, uint64_t retrying, uint64_t working, uint64_t committing)
{
	struct itm_stopwatch *watch = &itm_self.watch;
	watch->began = 5 * LONG;
	watch->returned = watch->began + beginning;
	watch->restarted = watch->returned + retrying;
	watch->committing = watch->restarted + working;
	itm_stopwatch_committed(&itm_self, watch->committing + committing);
	stmlog_unmeasured(itm_self.thread, 1, 0);
	return estimated_aborted_ns(account_of(me()));
}

static uint64_t waiting_ns(void)
{
	struct stmlog_account is = account_of(me());
	return is.estimated_waiting_inevitable_ns + is.estimated_waiting_none_ns;
}

static uint64_t ns_of(uint64_t ticks)
{
	return ticks / FAKE_TICKS_PER_NS;
}

/* ---- claims ---- */

TEST_WITH(fixture, retries_are_aborted_and_the_rest_is_committed)
{
	assert_int_equal(transact(100, LONG, 2 * LONG, 100), ns_of(LONG));
	assert_int_equal(account_of(me()).estimated_committed_ns, ns_of(100 + 2 * LONG + 100));
	assert_int_equal(account_of(me()).estimated_paused_ns, 0);
}

TEST_WITH(fixture, without_a_retry_nothing_is_aborted)
{
	assert_int_equal(transact(100, 0, LONG, 100), 0);
}

/* A single thread waits for nobody. */
TEST_WITH(fixture, a_long_commit_of_a_single_thread_is_work)
{
	transact(100, 0, 100, LONG);
	assert_int_equal(account_of(me()).estimated_paused_ns, 0);
	assert_int_equal(account_of(me()).estimated_committed_ns, ns_of(100 + 100 + LONG));
}

/* After so many failures the time stamp was read last, 100 ticks after the first of them. The commit takes none. */
static void transact_late(uint64_t failed, uint64_t looked, uint64_t since)
{
	struct itm_stopwatch *watch = &itm_self.watch;
	itm_self.flags |= ITM_LATE;
	watch->failed = failed;
	watch->looked = looked;
	transact(0, 100, since, 0);
}

TEST_WITH(fixture, attempts_since_the_last_look_took_equally_long)
{
	transact_late(9, 6, 4 * LONG);
	assert_int_equal(estimated_aborted_ns(account_of(me())), ns_of(100 + 3 * LONG));
	assert_int_equal(account_of(me()).estimated_committed_ns, ns_of(LONG));
}

TEST_WITH(fixture, an_attempt_that_was_looked_at_is_committed_as_a_whole)
{
	transact_late(9, 9, 4 * LONG);
	assert_int_equal(estimated_aborted_ns(account_of(me())), ns_of(100));
	assert_int_equal(account_of(me()).estimated_committed_ns, ns_of(4 * LONG));
}

/* Two of four attempts had failed before the time stamp was read first. */
TEST_WITH(fixture, attempts_before_the_first_stamp_took_as_long_as_those_behind_it)
{
	itm_agent.has_totals = true;
	itm_self.flags |= ITM_LATE;
	itm_self.watch.before = 2;
	itm_self.watch.failed = itm_self.watch.looked = 4;
	assert_int_equal(transact(0, 3 * LONG, LONG, 0), ns_of(3 * LONG + 2 * (3 * LONG / 2)));
	assert_int_equal(account_of(me()).estimated_committed_ns, ns_of(LONG));
}

TEST_WITH(fixture, they_took_as_long_as_the_attempt_that_commits_if_none_has_failed_since)
{
	itm_self.flags |= ITM_LATE;
	itm_self.watch.before = itm_self.watch.failed = itm_self.watch.looked = 2;
	assert_int_equal(transact(0, 0, 3 * LONG, 0), ns_of(2 * (3 * LONG)));
	assert_int_equal(account_of(me()).estimated_committed_ns, ns_of(3 * LONG));
}

TEST_WITH(fixture, a_late_transaction_that_is_cancelled_is_aborted_up_to_then)
{
	struct itm_stopwatch *watch = &itm_self.watch;
	itm_self.flags |= ITM_LATE;
	watch->failed = 2;
	watch->looked = 1;
	watch->restarted = itm_ticks_now();
	watch->began = watch->returned = watch->restarted - LONG;
	fake_clock_advance(2 * MS);
	itm_stopwatch_cancelled();
	assert_int_equal(estimated_aborted_ns(account_of(me())), ns_of(LONG) + 2 * MS);
}

TEST_WITH(fixture, a_cancelled_transaction_is_aborted_as_a_whole)
{
	itm_self.watch.began = LONG;
	itm_self.watch.returned = 2 * LONG;
	itm_self.watch.restarted = 4 * LONG;
	itm_stopwatch_cancelled();
	assert_int_equal(estimated_aborted_ns(account_of(me())), ns_of(3 * LONG));
	assert_int_equal(account_of(me()).estimated_committed_ns, 0);
	assert_int_equal(itm_self.flags, 0);
}

/* Clocks of different processors may differ by a few ticks: no part becomes enormous. */
TEST_WITH(fixture, stamps_in_the_wrong_order_make_no_part_long)
{
	transact(0, 0, 0, 0);
	assert_int_equal(account_of(me()).estimated_committed_ns, 0);
	assert_int_equal(estimated_aborted_ns(account_of(me())), 0);
}

/* At each return of begin the stamp is read, which takes 20 ticks here, and half of them between other instructions. */
TEST_WITH(fixture, reading_the_stamp_after_failed_attempts_is_not_aborted)
{
	fake_clock_set_reading(20 / FAKE_TICKS_PER_NS);
	itm_stopwatch_prepare();
	fake_clock_set_reading(0);
	itm_self.watch.failed = 1000;
	assert_int_equal(transact(100, LONG, LONG, 100), ns_of(LONG - 1000 * 10));
	itm_self.watch.failed = LONG; /* more readings than there is time */
	assert_int_equal(transact(100, LONG, LONG, 100), ns_of(LONG - 1000 * 10));
	itm_self.watch.failed = 0;
}

/* libitm takes the serial lock after too many failed attempts. */
TEST_WITH(fixture, sleep_before_another_attempt_is_a_wait_of_this_transaction_only)
{
	itm_self.watch.asleep = LONG / 2;
	itm_self.watch.weight = 10;
	transact(100, LONG, 100, 100);
	stmlog_unmeasured(itm_self.thread, 9, 0);
	assert_int_equal(estimated_aborted_ns(account_of(me())), 10 * ns_of(LONG / 2));
	assert_int_equal(waiting_ns(), ns_of(LONG / 2));
	assert_int_equal(itm_self.watch.asleep, 0);
}

/* From here on the thread is looked at. */
static void watch_interruptions(void)
{
	itm_preemption_begin();
	assert_ptr_not_equal(itm_self.critical, &itm_never_interrupted);
	itm_preemption_discard();
}

/* What an interrupted stretch took beyond the usual stands for itself, not for as many as the weight says. */
TEST_WITH(fixture, what_an_interruption_has_added_is_not_scaled)
{
	watch_interruptions();
	fake_interruption();
	itm_self.usual.cycle_ns = 1000;
	itm_self.watch.weight = 10;
	itm_self.watch.off[ITM_WORKING] = 2; /* it was interrupted before its commit */
	transact(100, 0, LONG, 100);
	stmlog_unmeasured(itm_self.thread, 9, 0);
	assert_int_equal(account_of(me()).estimated_committed_ns, ns_of(LONG + 200 - 2) - 1000 + 10 * 1000);
}

static void begin_returns(uint64_t failed)
{
	itm_self.watch.failed = failed;
	itm_stopwatch_returned();
}

/* Time off the processor in begin, or asleep before another attempt, belongs to neither more than once. */
TEST_WITH(fixture, each_interruption_belongs_to_the_stretch_in_which_it_was)
{
	const uint64_t *off = itm_self.watch.off;
	watch_interruptions();
	fake_preemption(5 * MS);
	begin_returns(0);
	assert_int_equal(ns_of(off[ITM_BEGINNING]), 5 * MS);
	assert_int_equal(itm_self.watch.asleep, 0);
	fake_sleep(3 * MS);
	begin_returns(1);
	assert_int_equal(ns_of(off[ITM_BEGINNING]), 5 * MS);
	assert_int_equal(off[ITM_RETRYING], 0);
	assert_int_equal(ns_of(itm_self.watch.asleep), 3 * MS);
	fake_preemption(2 * MS);
	begin_returns(2);
	assert_int_equal(ns_of(off[ITM_RETRYING]), 2 * MS);
	assert_int_equal(ns_of(itm_self.watch.asleep), 3 * MS);
}

/* Until the kernel was asked, nothing is known of the transaction. Failed attempts are as those of others. */
TEST_WITH(fixture, of_presumed_sleep_what_was_none_is_time_of_the_transactions_failed_attempts)
{
	watch_interruptions();
	AO_store(&itm_alone_count, AO_load(&itm_alone_count) + 1); /* a transaction of another thread */
	fake_sleep(MS / 4);
	fake_clock_advance(MS / 4);
	begin_returns(1);
	assert_true(itm_self.flags & ITM_PRESUMED);
	assert_in_range(ns_of(itm_self.watch.asleep), MS / 4, MS / 2);
	itm_self.watch.weight = 10;
	assert_int_equal(transact(100, MS * FAKE_TICKS_PER_NS, 100, 100), 0);
	stmlog_unmeasured(itm_self.thread, 9, 0);
	itm_preemption_end_presumption(&itm_self);
	itm_preemption_discard();
	assert_int_equal(waiting_ns(), MS / 4);
	assert_int_equal(estimated_aborted_ns(account_of(me())), 10 * (MS - MS / 4));
}

/* The sleep in begin is a wait. What follows is looked at by itself. */
TEST_WITH(fixture, sleep_in_begin_hides_no_later_interruption)
{
	watch_interruptions();
	itm_self.flags |= ITM_SERIAL | ITM_UPGRADED;
	itm_self.watch.sleeps = itm_preemption_sleeps(&itm_self);
	fake_sleep(5 * MS);
	begin_returns(0);
	assert_int_equal(itm_self.watch.off[ITM_BEGINNING], 0);
	fake_sleep(4 * MS);
	begin_returns(1);
	assert_int_equal(ns_of(itm_self.watch.off[ITM_RETRYING]), 4 * MS);
}

TEST_WITH(fixture, an_interruption_behind_the_last_stamp_is_taken_off_no_stretch)
{
	struct itm_stopwatch *watch = &itm_self.watch;
	uintptr_t entry;
	itm_self.slot = &entry;
	watch_interruptions();
	watch->began = watch->returned = watch->restarted = watch->committing = itm_ticks_now();
	fake_clock_advance(MS);
	fake_preemption(5 * MS);
	uint64_t ended = itm_ticks_now();
	fake_preemption(3 * MS);
	itm_stopwatch_committed(&itm_self, ended);
	stmlog_unmeasured(itm_self.thread, 1, 0);
	assert_int_equal(account_of(me()).estimated_committed_ns, MS);
	assert_int_equal(account_of(me()).descheduled_ns, 8 * MS);
}

/* Each reading of a clock takes 10 ns. */
TEST_WITH(fixture, the_look_itself_takes_no_time_of_the_transaction)
{
	watch_interruptions();
	struct itm_stopwatch *watch = &itm_self.watch;
	watch->began = 1000;
	watch->returned = 3000;
	watch->restarted = 6000;
	fake_interruption();
	fake_clock_set_reading(10);
	begin_returns(1);
	fake_clock_set_reading(0);
	assert_int_equal(watch->returned - watch->began, 2000);
	assert_int_equal(watch->restarted - watch->returned, 3000);
	assert_int_equal(watch->restarted, itm_ticks_now() - 10 * FAKE_TICKS_PER_NS);
}

/* Another thread transacts from here on: rings are never given back. */
TEST_WITH(fixture, the_wait_before_a_cancelled_transaction_is_not_aborted)
{
	itm_ring_acquire(1);
	itm_ring_acquire(2);
	itm_self.watch.began = LONG;
	itm_self.watch.returned = 2 * LONG;
	itm_self.watch.restarted = 4 * LONG;
	itm_stopwatch_cancelled();
	assert_int_equal(estimated_aborted_ns(account_of(me())), ns_of(2 * LONG + ITM_WAIT_OWN));
	assert_int_equal(waiting_ns(), ns_of(LONG - ITM_WAIT_OWN));
}

/* Among the other waits of its transaction, it would be divided among all of them. */
TEST_WITH(fixture, a_commit_that_has_waited_for_a_preempted_thread_is_a_transaction_apart)
{
	uintptr_t entry = 0x1234;
	struct itm_ring *other = itm_ring_acquire(2);
	itm_self.ring = itm_ring_acquire(1);
	itm_self.slot = &entry;
	itm_self.watch.weight = 10;
	itm_agent.options.depth = 4;
	fake_clock_advance(80 * MS);
	AO_store(&other->site, 0x200);
	itm_ring_interrupt(other, 5 * MS, itm_ticks_now());
	itm_ring_note_end(other);
	transact(100, 0, 100, 5 * MS * FAKE_TICKS_PER_NS);
	struct stmlog_entry found = entry_at(fixture_log, 0);
	uint64_t ns = 5 * MS - ns_of(ITM_WAIT_OWN);
	assert_int_equal(found.lost_ns, ns);
	assert_int_equal((uint64_t)found.estimated_ns, 10 * ns);
	assert_int_equal(account_of(me()).estimated_paused_ns, 10 * ns);
	itm_ring_release(other);
	itm_ring_release(itm_self.ring);
	itm_remote_destroy(&itm_self, stmlog_thread_stack(itm_self.thread));
}

/* SPDX-License-Identifier: MIT
 * Interruptions of the thread: that they are seen, and which time is reported for them. */
#include "agent.h"
#include "counts.h"
#include "entries.h"
#include "fake_interruption.h"
#include "fake_transaction.h"
#include "preemption.h"
#include "session_fixture.h"
#include "test.h"

/* What libitm says of the transaction under way: 1, or ITM_IS_IRREVOCABLE. */
static int state_of_transaction;

static int in_transaction(void)
{
	return state_of_transaction;
}

int (*itm_real_in_transaction)(void) = in_transaction;

static void set_up(void)
{
	session_set_up();
	itm_agent.method = ITM_METHOD_LOCKS;
	itm_agent.has_counters = itm_agent.has_totals = false;
	itm_self = (struct itm_thread){.thread = stmlog_thread_self(), .ring = &itm_ring_dummy};
	itm_self.critical = &itm_never_interrupted;
	state_of_transaction = ITM_IS_IRREVOCABLE;
	itm_preemption_begin();
}

static void tear_down(void)
{
	itm_preemption_end();
	session_tear_down();
}

static const struct test_fixture fixture = {set_up, tear_down};

#define SECOND (1000 * (uint64_t)MS)
#define USUAL_NS 1000

/* 100 transactions of the usual length, in which nothing happens. */
static void learn(void)
{
	itm_preemption_discard();
	itm_self.sampling.passed += 100;
	fake_clock_advance(100 * USUAL_NS);
	itm_preemption_learn(&itm_self, stmlog_now_ns());
}

/* A second, in which the thread sleeps for so long. */
static void pass_a_second(uint64_t asleep_ns)
{
	fake_sleep(asleep_ns);
	assert_true(itm_was_preempted(&itm_self));
	fake_clock_advance(SECOND - asleep_ns);
}

/* One more transaction of a second, in which the thread sleeps. */
static void sleep_in_transaction(uint64_t asleep_ns, enum itm_preempted where)
{
	pass_a_second(asleep_ns);
	itm_preemption_report_unmeasured(&itm_self, where);
	itm_self.sampling.passed++;
}

/* ... in its commit. Returns the time beyond the usual. */
static uint64_t sleep_in_commit(uint64_t asleep_ns, uint64_t *off_ns)
{
	pass_a_second(asleep_ns);
	uint64_t beyond_ns = itm_preemption_report_commit(&itm_self, off_ns);
	itm_self.sampling.passed++;
	return beyond_ns;
}

/* ---- claims ---- */

TEST_WITH(fixture, a_thread_that_was_interrupted_is_looked_at_once)
{
	for (int i = 0; i < 100; i++) {
		assert_false(itm_was_preempted(&itm_self));
		fake_interruption();
		assert_true(itm_was_preempted(&itm_self));
		itm_preemption_discard_if_any(&itm_self);
	}
}

TEST_WITH(fixture, usual_transactions_are_learned)
{
	for (int i = 0; i < 100; i++)
		learn();
	assert_int_equal((uint64_t)itm_self.usual.cycle_ns, USUAL_NS);
	assert_int_equal(itm_preemption_beyond(&itm_self, USUAL_NS - 100), 0);
	assert_int_equal(itm_preemption_beyond(&itm_self, 5 * USUAL_NS), 4 * USUAL_NS);
}

TEST_WITH(fixture, time_off_in_a_transaction_is_reported_once)
{
	learn();
	uint64_t off_ns;
	sleep_in_commit(2 * MS, &off_ns);
	assert_int_equal(off_ns, 2 * MS);
	assert_int_equal(account_of(me()).descheduled, 1);
	assert_int_equal(account_of(me()).descheduled_ns, 2 * MS);
	sleep_in_transaction(3 * MS, ITM_PREEMPTED_BEFORE_COMMIT);
	assert_int_equal(account_of(me()).descheduled, 2);
	assert_int_equal(account_of(me()).descheduled_ns, 5 * MS);
}

TEST_WITH(fixture, time_off_outside_of_transactions_is_not_reported)
{
	learn();
	fake_preemption(50 * MS);
	itm_preemption_discard();
	sleep_in_transaction(2 * MS, ITM_PREEMPTED_BEFORE_COMMIT);
	assert_int_equal(account_of(me()).descheduled, 1);
	assert_int_equal(account_of(me()).descheduled_ns, 2 * MS);
}

TEST_WITH(fixture, a_wait_for_a_lock_is_no_time_off)
{
	learn();
	fake_sleep(2 * MS);
	itm_preemption_discard_if_any(&itm_self);
	assert_int_equal(account_of(me()).descheduled, 0);
}

TEST_WITH(fixture, a_thread_that_sleeps_counts_as_sleeping)
{
	uint64_t before = itm_preemption_sleeps(&itm_self);
	fake_preemption(MS);
	assert_int_equal(itm_preemption_sleeps(&itm_self), before);
	fake_sleep(MS);
	assert_int_equal(itm_preemption_sleeps(&itm_self), before + 1);
	itm_preemption_discard();
	assert_int_equal(itm_preemption_sleeps(&itm_self), before + 1);
}

/* Before commit, half of it may have been the wait of an earlier commit. An upgrade sleeps until it has the lock. */
TEST_WITH(fixture, what_is_beyond_the_usual_goes_to_the_part_that_was_interrupted)
{
	const uint64_t beyond_ns = SECOND - 2 * MS - USUAL_NS;
	uint64_t off_ns;
	learn();
	assert_int_equal(sleep_in_commit(2 * MS, &off_ns), beyond_ns);
	assert_int_equal(account_of(me()).estimated_paused_ns + account_of(me()).estimated_committed_ns, 0);
	learn();
	sleep_in_transaction(2 * MS, ITM_PREEMPTED_BEFORE_COMMIT);
	assert_int_equal(account_of(me()).estimated_committed_ns, beyond_ns / 2);
	assert_int_equal(account_of(me()).estimated_paused_ns, beyond_ns / 2);
	learn();
	sleep_in_transaction(2 * MS, ITM_PREEMPTED_UPGRADING);
	assert_int_equal(account_of(me()).estimated_committed_ns, beyond_ns / 2);
	assert_int_equal(account_of(me()).estimated_paused_ns, beyond_ns / 2 + beyond_ns + 2 * MS);
	assert_int_equal(estimated_aborted_ns(account_of(me())), 0);
	learn();
	sleep_in_transaction(2 * MS, ITM_PREEMPTED_BEFORE_CANCEL);
	assert_int_equal(estimated_aborted_ns(account_of(me())), beyond_ns);
	assert_no_residual(itm_self.thread);
}

/* Only of a transaction under way: others cannot have waited otherwise. */
TEST_WITH(fixture, the_ring_tells_which_transaction_was_interrupted)
{
	itm_self.ring = itm_ring_acquire(1);
	assert_non_null(itm_self.ring);
	const struct itm_ring_interrupted *interrupted = &itm_self.ring->interrupted;
	uint64_t off_ns;
	learn();
	sleep_in_commit(2 * MS, &off_ns);
	assert_int_equal(AO_load(&interrupted->seen), 0);
	assert_int_equal(AO_load(&interrupted->commit_off_ns), 2 * MS | ITM_RING_ASLEEP);
	AO_store(&itm_self.ring->site, 0x100);
	sleep_in_transaction(3 * MS, ITM_PREEMPTED_BEFORE_COMMIT);
	assert_int_equal(AO_load(&interrupted->seen), itm_ticks_now());
	assert_int_equal(AO_load(&interrupted->site), 0x100);
	assert_int_equal(AO_load(&interrupted->off_ns), 3 * MS | ITM_RING_ASLEEP);
	itm_ring_note_end(itm_self.ring);
	itm_ring_release(itm_self.ring);
	itm_self.ring = &itm_ring_dummy;
}

static struct itm_ring *ring_with_unknown_off(void)
{
	struct itm_ring *ring = itm_self.ring = itm_ring_acquire(1);
	assert_non_null(ring);
	AO_store(&ring->site, 0x100);
	itm_ring_interrupt(ring, ITM_RING_OFF_UNKNOWN, 1);
	itm_ring_note_end(ring);
	assert_true(itm_ring_has_unknown_off(ring));
	return ring;
}

static void release_ring(struct itm_ring *ring)
{
	itm_ring_release(ring);
	itm_self.ring = &itm_ring_dummy;
}

TEST_WITH(fixture, behind_a_commit_the_ring_is_told_how_long_its_transaction_was_interrupted)
{
	learn();
	struct itm_ring *ring = ring_with_unknown_off();
	sleep_in_transaction(2 * MS, ITM_PREEMPTED_BEFORE_COMMIT);
	assert_int_equal(AO_load(&ring->interrupted.off_ns), 2 * MS | ITM_RING_ASLEEP);
	assert_int_equal(AO_load(&ring->interrupted.site), 0x100);
	release_ring(ring);
}

TEST_WITH(fixture, sleep_in_a_wait_is_no_interruption_for_the_ring_either)
{
	learn();
	struct itm_ring *ring = ring_with_unknown_off();
	sleep_in_transaction(2 * MS, ITM_PREEMPTED_UPGRADING);
	assert_int_equal(AO_load(&ring->interrupted.off_ns), 0);
	release_ring(ring);
}

/* ---- presumed sleep ---- */

/* A transaction of another thread has run alone. */
static void note_alone(void)
{
	AO_store(&itm_alone_count, AO_load(&itm_alone_count) + 1);
}

static bool is_presumed(void)
{
	return (itm_self.flags & ITM_PRESUMED) != 0;
}

/* The thread sleeps in a transaction until it has the serial lock, and reports that. Returns the time off the
 * processor. */
static uint64_t report_wait_of(uint64_t asleep_ns)
{
	bool has_slept;
	uint64_t sleeps = itm_self.usual.sleeps;
	fake_sleep(asleep_ns);
	uint64_t off_ns = itm_preemption_report_unless_asleep(&itm_self, sleeps, &has_slept);
	assert_true(has_slept);
	assert_false(itm_was_preempted(&itm_self));
	return off_ns;
}

TEST_WITH(fixture, sleep_is_presumed_where_a_transaction_has_run_alone_a_short_time_ago)
{
	learn();
	report_wait_of(MS);
	assert_false(is_presumed());
	note_alone();
	report_wait_of(3 * MS);
	assert_false(is_presumed());
	note_alone();
	assert_in_range(report_wait_of(MS), MS - 2 * USUAL_NS, MS);
	assert_true(is_presumed());
	assert_int_equal(account_of(me()).descheduled, 0);
}

TEST_WITH(fixture, after_presumed_sleep_an_interruption_is_found_again)
{
	bool has_slept;
	learn();
	note_alone();
	report_wait_of(MS);
	fake_preemption(3 * MS);
	uint64_t off_ns = itm_preemption_report_unless_asleep(&itm_self, itm_self.usual.sleeps, &has_slept);
	assert_false(has_slept);
	assert_in_range(off_ns, 3 * MS, 3 * MS + 2 * USUAL_NS);
	assert_int_equal(account_of(me()).descheduled_ns, off_ns);
}

/* Then the next begin asks the kernel. */
TEST_WITH(fixture, a_presumption_ends_with_its_transaction)
{
	learn();
	note_alone();
	report_wait_of(MS);
	itm_preemption_end_presumption(&itm_self);
	assert_false(is_presumed());
	assert_true(itm_was_preempted(&itm_self));
	itm_preemption_discard();
	uint64_t off_ns = itm_self.usual.off_ns;
	fake_preemption(3 * MS);
	itm_preemption_discard();
	assert_int_equal(itm_self.usual.off_ns - off_ns, 3 * MS);
}

/* ---- what a look says of presumed sleep ---- */

static void set_up_presumed(void)
{
	set_up();
	itm_self.ring = itm_ring_acquire(1);
	assert_non_null(itm_self.ring);
	itm_agent.has_counters = itm_agent.has_totals = true;
	itm_counts_begin(&itm_self.ring->counts, 0, NULL);
	learn();
	note_alone();
	set_fake_transaction(true);
	fake_transaction.restarts[ITM_REASON_LOCKED_READ] = 2;
	fake_clock_advance(3 * USUAL_NS);
}

static void tear_down_presumed(void)
{
	struct itm_ring *ring = itm_self.ring;
	set_fake_transaction(false);
	itm_ring_note_end(ring);
	tear_down();
	release_ring(ring);
}

static const struct test_fixture presumed_fixture = {set_up_presumed, tear_down_presumed};

static uint64_t estimated_waiting_ns(struct stmlog_account account)
{
	return account.estimated_waiting_inevitable_ns + account.estimated_waiting_none_ns;
}

/* Of a millisecond that is presumed to be sleep, the thread sleeps for a quarter. */
static void sleep_for_a_quarter(void)
{
	fake_sleep(MS / 4);
	fake_clock_advance(MS - MS / 4);
}

/* The transaction has failed twice, for as long as usual transactions take, and is presumed to have slept since. */
static void presume(void)
{
	itm_preemption_report_unmeasured(&itm_self, ITM_PREEMPTED_BEFORE_CANCEL);
	assert_true(is_presumed());
	assert_int_equal(estimated_waiting_ns(account_of(me())), 0);
}

static void look_after_presumption(void)
{
	itm_preemption_end_presumption(&itm_self);
	itm_preemption_discard();
}

static void expect_parts(uint64_t waiting_ns, uint64_t aborted_ns, uint64_t descheduled_ns)
{
	assert_int_equal(estimated_waiting_ns(account_of(me())), waiting_ns);
	assert_int_equal(estimated_aborted_ns(account_of(me())), aborted_ns);
	assert_int_equal(account_of(me()).descheduled_ns, descheduled_ns);
}

TEST_WITH(presumed_fixture, presumed_sleep_is_a_wait_if_the_thread_has_slept)
{
	fake_sleep(MS);
	presume();
	look_after_presumption();
	expect_parts(MS, 2 * USUAL_NS, 0);
	look_after_presumption();
	expect_parts(MS, 2 * USUAL_NS, 0);
}

TEST_WITH(presumed_fixture, the_part_of_presumed_sleep_that_was_none_has_passed_in_failed_attempts)
{
	sleep_for_a_quarter();
	presume();
	look_after_presumption();
	expect_parts(MS / 4, 2 * USUAL_NS + MS - MS / 4, 0);
}

TEST_WITH(presumed_fixture, a_thread_that_was_preempted_and_not_asleep_had_no_processor)
{
	fake_preemption(MS);
	presume();
	look_after_presumption();
	expect_parts(0, 2 * USUAL_NS, MS);
}

TEST_WITH(presumed_fixture, later_sleep_makes_the_wait_no_longer_than_presumed)
{
	sleep_for_a_quarter();
	presume();
	itm_preemption_end_presumption(&itm_self);
	fake_sleep(5 * MS);
	itm_preemption_discard();
	expect_parts(MS, 2 * USUAL_NS, 0);
}

TEST_WITH(presumed_fixture, a_look_within_a_measured_transaction_reports_nothing_of_an_earlier_one)
{
	fake_sleep(MS);
	presume();
	itm_self.flags |= ITM_MEASURED;
	itm_preemption_end_presumption(&itm_self);
	itm_preemption_report_if_any(&itm_self);
	expect_parts(0, 0, 0);
	itm_self.flags &= ~(uint32_t)ITM_MEASURED;
	look_after_presumption();
	expect_parts(MS, 2 * USUAL_NS, 0);
}

TEST_WITH(presumed_fixture, without_a_later_look_presumed_sleep_counts_as_sleep)
{
	sleep_for_a_quarter();
	presume();
	itm_preemption_end();
	expect_parts(MS, 2 * USUAL_NS, 0);
}

TEST_WITH(presumed_fixture, of_a_late_transaction_failed_attempts_stand_for_those_before)
{
	const struct stmlog_timed_transaction timed = {.site = TB_HERE(), .weight = 1, .is_apart = true};
	bool has_slept;
	sleep_for_a_quarter();
	itm_preemption_report_unless_asleep(&itm_self, itm_self.usual.sleeps, &has_slept);
	assert_true(has_slept && is_presumed());
	itm_preemption_report_presumed_later(&itm_self, MS, &timed, 4);
	fake_clock_advance(100 * MS); /* all parts together fit in the time of the thread */
	look_after_presumption();
	expect_parts(MS / 4, 3 * MS, 0);
}

TEST_WITH(fixture, a_presumed_wait_of_a_measured_transaction_is_no_time_off)
{
	learn();
	note_alone();
	fake_sleep(MS);
	itm_preemption_discard_wait(&itm_self);
	assert_true(is_presumed());
	itm_preemption_report_if_any(&itm_self);
	assert_int_equal(account_of(me()).descheduled, 0);
}

/* Otherwise the kernel would read our page in a thread that does not transact any more. */
TEST_WITH(fixture, at_the_end_the_kernels_word_is_as_it_was)
{
	volatile uint64_t *word = itm_self.critical;
	itm_preemption_discard_if_any(&itm_self);
	itm_preemption_end();
	assert_int_equal(*word, 0);
	assert_false(itm_was_preempted(&itm_self));
}

/* ... nor is a sequence of another library's touched. */
TEST_WITH(fixture, a_sequence_of_another_library_stays)
{
	uint64_t word = 0x1234;
	itm_preemption_end();
	itm_self.critical = &word;
	assert_false(itm_was_preempted(&itm_self));
	itm_preemption_discard_if_any(&itm_self);
	itm_preemption_discard();
	assert_int_equal(word, 0x1234);
	itm_preemption_end_presumption(&itm_self);
	assert_int_equal(word, 0x1234);
	itm_preemption_end();
	assert_int_equal(word, 0x1234);
}

TEST_WITH(fixture, threads_that_cannot_be_watched_are_never_interrupted)
{
	itm_preemption_end();
	itm_agent.method = ITM_METHOD_SERIAL;
	itm_preemption_begin();
	fake_sleep(MS);
	assert_false(itm_preemption_is_watched());
	assert_false(itm_was_preempted(&itm_self));
}

/* SPDX-License-Identifier: MIT
 * Counters and times near the ends of their range: of a clock, of sums, of counts that a runtime gives. */
#include <string.h>

#include "account.h"
#include "losses.h"
#include "misuse.h"
#include "registry.h"
#include "session_fixture.h"
#include "test.h"
#include "thread.h"

static struct stmlog_account account(void)
{
	struct stmlog_account figures;
	stmlog_account_read(me(), &figures);
	return figures;
}

/* 60 bits, as one word of an account has; CLOCK_REALTIME's time of 2026; 63 and 64 bits. */
static const uint64_t ends_ns[] = {
	UINT64_C(1) << 60, UINT64_C(1790000000000000000), UINT64_C(1) << 61, UINT64_C(1) << 63, 0};

/* Attaches the thread anew 1 ms before that time. */
static void attach_before(uint64_t end_ns)
{
	close_own();
	fake_clock_set(end_ns - MS);
	assert_non_null(stmlog_thread_open(NULL));
}

/* Of 3 ms each: outside, an attempt, a pause in it, once more an attempt that aborts, one that commits, a wait. */
static void pass_the_end(void)
{
	const struct stmlog_loss pause_loss = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, "PAUSE");
	const struct stmlog_loss abort_loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "ABORT");
	fake_clock_advance(3 * MS);
	stmlog_start(me());
	fake_clock_advance(3 * MS);
	stmlog_wait_begin(me(), &pause_loss);
	fake_clock_advance(3 * MS);
	stmlog_wait_end(me());
	stmlog_abort(me(), &abort_loss);
	stmlog_retry(me());
	fake_clock_advance(3 * MS);
	stmlog_commit(me());
	wait_for_segment(me());
	fake_clock_advance(3 * MS);
	stmlog_wait_end(me());
}

static void assert_passed(void)
{
	struct stmlog_account a = account();
	assert_int_equal(a.attached_ns, 15 * MS);
	assert_int_equal(a.outside_ns, 3 * MS);
	assert_int_equal(a.aborted_ns[STMLOG_WRITE_READ], 3 * MS);
	assert_int_equal(a.paused_ns, 3 * MS);
	assert_int_equal(a.committed_ns, 3 * MS);
	assert_int_equal(a.waiting_none_ns, 3 * MS);
	assert_no_residual(me());
}

TEST_WITH(session_fixture, times_are_right_whatever_the_clock_shows)
{
	for (size_t i = 0; i < sizeof ends_ns / sizeof ends_ns[0]; i++) {
		attach_before(ends_ns[i]);
		pass_the_end();
		assert_passed();
	}
}

TEST_WITH(session_fixture, a_clock_that_goes_back_makes_no_time_whatever_it_shows)
{
	for (size_t i = 0; i < sizeof ends_ns / sizeof ends_ns[0]; i++) {
		attach_before(ends_ns[i]);
		fake_clock_advance(3 * MS);
		stmlog_start(me());
		fake_clock_set(ends_ns[i] - MS);
		stmlog_commit(me());
		fake_clock_set(ends_ns[i] + 3 * MS);
		assert_int_equal(account().committed_ns, 0);
		assert_int_equal(account().attached_ns, 4 * MS);
		assert_no_residual(me());
	}
}

TEST_WITH(session_fixture, losses_add_up_beyond_2_to_the_63)
{
	const uint64_t long_ns = UINT64_C(1) << 58;
	const struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "ABORT");
	for (int i = 0; i < 40; i++)
		lose(me(), long_ns, &loss);
	assert_int_equal(entry_at(fixture_log, 0).lost_ns, 40 * long_ns);
	assert_true(entry_at(fixture_log, 0).estimated_ns > 0x1p63);
	assert_int_equal(account().aborted_ns[STMLOG_WRITE_READ], 40 * long_ns);
	assert_int_equal(account().aborts[STMLOG_WRITE_READ], 40);
	assert_conserved(fixture_log);
	assert_no_residual(me());
}

/* A counter that one hook raises by 1, from a value to which no test could count. */
TEST_WITH(session_fixture, counters_do_not_end_at_32_or_63_bits)
{
	static const uint64_t ends[] = {UINT64_C(1) << 32, UINT64_C(1) << 63};
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		AO_store(&me()->account.count[COMMITTED_SLOT], ends[i] - 1);
		AO_store(&me()->attempts.word, (ends[i] - 2) << 1);
		me()->transaction = ends[i] - 1;
		stmlog_start(me());
		assert_int_equal(attempts_current(&me()->attempts), (ends[i] - 1) & (UINT64_MAX >> 1));
		stmlog_commit(me());
		stmlog_start(me());
		stmlog_commit(me());
		assert_int_equal(account().commits, ends[i] + 1);
		assert_int_equal(me()->transaction, ends[i] + 1);
	}
}

/* 2^63 and 2^63: a sum of 64 bits is 0. */
TEST_WITH(session_fixture, unmeasured_transactions_are_never_taken_for_none)
{
	const uint64_t half = UINT64_C(1) << 63;
	stmlog_unmeasured(me(), half, half);
	stmlog_start(me());
	fake_clock_advance(MS);
	stmlog_commit(me());
	assert_int_equal(account().unmeasured_commits, half);
	assert_int_equal(account().unmeasured_aborts, half);
	struct thread_figures figures;
	assert_true(figures_read(&figures, me()));
	assert_int_not_equal(figures.spread.doubt_ns[STMLOG_ACCOUNT_ABORTED], 0);
}

TEST_WITH(session_fixture, counts_that_a_runtime_gives_stay_at_the_highest_and_that_is_told)
{
	size_t before = misuse_total();
	stmlog_unmeasured(me(), UINT64_MAX - 1, 0);
	assert_int_equal(misuse_total(), before);
	stmlog_unmeasured(me(), 5, 7);
	assert_int_equal(misuse_total(), before + 1);
	assert_int_equal(account().unmeasured_commits, UINT64_MAX);
	assert_int_equal(account().unmeasured_aborts, 7);
	stmlog_was_blocked(me(), TB_HERE(), UINT64_MAX, false);
	stmlog_was_blocked(me(), TB_HERE(), 5, false);
	assert_int_equal(account().blocked_unattached_ns, UINT64_MAX);
}

/* Of the highest weight, for which 4.3 s stand for more than 2^64 ns. */
TEST_WITH(session_fixture, estimates_stay_within_the_time_there_was)
{
	const uint64_t long_ns = UINT64_C(1) << 58;
	stmlog_set_weight(me(), UINT32_MAX);
	for (int i = 0; i < 3; i++) {
		stmlog_start(me());
		fake_clock_advance(long_ns);
		stmlog_commit(me());
		wait_for_segment(me());
		fake_clock_advance(long_ns);
		stmlog_wait_end(me());
	}
	fake_clock_advance(3 * long_ns);
	struct stmlog_account a = account();
	assert_true(a.estimated_committed_ns >= 3 * long_ns && a.estimated_committed_ns <= a.attached_ns);
	assert_true(a.estimated_waiting_none_ns >= 3 * long_ns && a.estimated_waiting_none_ns <= a.attached_ns);
	struct thread_figures figures;
	assert_true(figures_read(&figures, me()));
	for (int row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
		assert_true(figures.spread.variance_ns2[row] >= 0 && figures.spread.variance_ns2[row] < 1e300);
}

TEST_WITH(session_fixture, no_number_stands_for_two_threads)
{
	close_own();
	registry.last_id = UINT32_MAX - 1;
	assert_int_equal(stmlog_thread_id(stmlog_thread_open(NULL)), UINT32_MAX);
	close_own();
	assert_null(stmlog_thread_open(NULL));
	assert_int_equal(registry.refused, 1);
	registry.last_id = 1;
}

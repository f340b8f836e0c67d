/* SPDX-License-Identifier: MIT
 * Counters and times near the ends of their range: of a clock, of sums, of counts that a runtime gives. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "account.h"
#include "misuse.h"
#include "session_fixture.h"
#include "thread.h"

static struct stmlog_thread *me(void)
{
	return stmlog_thread_self();
}

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
	stmlog_thread_detach();
	fake_clock_set(end_ns - MS);
	assert_non_null(stmlog_thread_attach());
}

/* Of 3 ms each: outside, an attempt, a pause in it, once more an attempt that aborts, one that commits, a wait. */
static void pass_the_end(void)
{
	const struct stmlog_loss pause_loss = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, "PAUSE");
	const struct stmlog_loss abort_loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "ABORT");
	fake_clock_advance(3 * MS);
	stmlog_start(me());
	fake_clock_advance(3 * MS);
	stmlog_pause_begin(me(), &pause_loss);
	fake_clock_advance(3 * MS);
	stmlog_pause_end(me());
	stmlog_abort(me(), &abort_loss);
	stmlog_retry(me());
	fake_clock_advance(3 * MS);
	stmlog_commit(me());
	stmlog_wait_segment(me());
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

static void times_are_right_whatever_the_clock_shows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof ends_ns / sizeof ends_ns[0]; i++) {
		attach_before(ends_ns[i]);
		pass_the_end();
		assert_passed();
	}
}

static void a_clock_that_goes_back_makes_no_time_whatever_it_shows(void **state)
{
	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(times_are_right_whatever_the_clock_shows, session_setup, session_teardown),
		cmocka_unit_test_setup_teardown(
			a_clock_that_goes_back_makes_no_time_whatever_it_shows, session_setup, session_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

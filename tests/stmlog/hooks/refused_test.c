/* SPDX-License-Identifier: MIT
 * Calls of hooks that are refused, and move nothing. */
#include <math.h>

#include "loss_and_account.h"
#include "losses.h"
#include "misuse.h"

/* Calls `hook` and sees that it is refused and moves nothing. */
#define assert_refused(call)                                      \
	do {                                                      \
		size_t before = misuse_total();                   \
		struct stmlog_account was = account_of(me()), is; \
		call;                                             \
		is = account_of(me());                            \
		assert_int_equal(misuse_total(), before + 1);     \
		assert_memory_equal(&was, &is, sizeof was);       \
	} while (0)

TEST_WITH(session_fixture, hooks_out_of_order_are_refused)
{
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, NULL);
	struct stmlog_loss wait = stmlog_loss_make(STMLOG_WAIT, STMLOG_NONE, NULL);
	assert_refused(stmlog_commit(me()));
	assert_refused(stmlog_commit_now(me(), stmlog_now_ns()));
	assert_refused(stmlog_commit_at(me(), 1));
	assert_refused(stmlog_abort(me(), &loss));
	assert_refused(stmlog_abort(me(), NULL));
	assert_refused(stmlog_abort_other(me(), &loss));
	assert_refused(stmlog_retry(me()));
	assert_refused(stmlog_failed(me()));
	assert_refused(stmlog_wait_begin(me(), &pause));
	assert_refused(stmlog_wait_end(me()));
	assert_refused(stmlog_waited(me(), &pause, 1));
	assert_refused(wait_blocked(me()));
	stmlog_start(me());
	assert_refused(stmlog_start(me()));
	assert_refused(stmlog_retry(me()));
	assert_refused(stmlog_count_reads(me(), 1));
	assert_refused(wait_blocked(me()));
	stmlog_wait_begin(me(), &pause);
	assert_refused(stmlog_wait_begin(me(), &wait));
	assert_refused(stmlog_wait_begin(me(), NULL));
	assert_refused(wait_blocked(me()));
	assert_refused(stmlog_origin(me(), TB_NO_SITE));
	assert_refused(stmlog_abort_other(me(), &loss));
	assert_refused(stmlog_waited(me(), &pause, 1));
	stmlog_wait_end(me());
	stmlog_failed(me());
	assert_refused(stmlog_waited(me(), &pause, 1));
	stmlog_abort(me(), &loss);
	assert_refused(stmlog_waited(me(), &pause, 1));
	assert_conserved(fixture_log);
}

/* Whether the hook gets frames or looks up origins. */
static void assert_refused_as_wait(enum stmlog_reason reason, enum stmlog_contention_kind contention)
{
	const struct stmlog_loss known = stmlog_loss_make(reason, contention, NULL);
	const struct stmlog_loss unknown = stmlog_loss_of(reason, contention, NULL);
	assert_refused(stmlog_wait_begin(me(), &known));
	assert_refused(stmlog_wait_begin(me(), &unknown));
	assert_refused(stmlog_waited(me(), &known, 1));
}

/* An abort ends the attempt, whatever its cause: aborts_test.c. */
TEST_WITH(session_fixture, causes_that_cannot_be_are_refused)
{
	const struct stmlog_loss other_work = stmlog_loss_make(STMLOG_OTHER_WORK, STMLOG_NONE, NULL);
	const struct stmlog_loss blocked = stmlog_loss_make(STMLOG_BLOCKED, STMLOG_NONE, NULL);
	stmlog_start(me());
	fake_clock_advance(MS);
	assert_refused_as_wait(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE);
	assert_refused_as_wait(STMLOG_ABORTED_BY_OTHER, STMLOG_INEVITABLE);
	assert_refused_as_wait(STMLOG_USER_ABORT, STMLOG_NONE);
	assert_refused_as_wait(STMLOG_WAIT, STMLOG_WRITE_WRITE);
	assert_refused_as_wait(STMLOG_PAUSE, STMLOG_CONTENTIONS);
	assert_refused_as_wait((enum stmlog_reason)(STMLOG_BLOCKED + 1), STMLOG_NONE);
	assert_refused(stmlog_waited(me(), &other_work, 1));
	assert_refused(stmlog_waited(me(), &blocked, 1));
	stmlog_commit(me());
}

/* Those of all other hooks are numbers of 32 bits. */
TEST_WITH(session_fixture, a_weight_that_no_file_could_hold_is_refused)
{
	static const double impossible[] = {1e300, 4294967296.0, INFINITY, NAN, 0.5, 0, -1, -INFINITY};
	struct stmlog_timed_transaction timed = {.committed_ns = MS, .has_committed = true};
	for (size_t i = 0; i < sizeof impossible / sizeof impossible[0]; i++) {
		timed.weight = impossible[i];
		assert_refused(stmlog_timed(me(), &timed));
	}
	size_t before = misuse_total();
	timed.weight = 4294967295.0;
	stmlog_timed(me(), &timed);
	assert_int_equal(misuse_total(), before);
}

TEST_WITH(session_fixture, within_a_transaction_that_is_measured_none_is_unmeasured)
{
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_READ, NULL);
	struct stmlog_loss segment = stmlog_loss_make(STMLOG_WAIT, STMLOG_NONE, NULL);
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	assert_refused(stmlog_waited_unmeasured(me(), &segment, TB_HERE(), 1, 1, 0));
	assert_refused(stmlog_waited_unmeasured(me(), &loss, TB_HERE(), 1, 1, 0));
	assert_refused(stmlog_waited_unmeasured(me(), &pause, TB_HERE(), 0, 1, 0));
	stmlog_start(me());
	assert_refused(stmlog_waited_unmeasured(me(), &pause, TB_HERE(), 1, 1, 0));
	stmlog_commit(me());
}

TEST_WITH(session_fixture, hooks_of_nobody_do_nothing)
{
	size_t before = misuse_total();
	struct stmlog_loss loss = self_abort(STMLOG_WRITE_WRITE);
	stmlog_start(NULL);
	stmlog_failed(NULL);
	stmlog_abort(NULL, &loss);
	stmlog_abort(NULL, NULL);
	stmlog_abort_other(NULL, &loss);
	stmlog_retry(NULL);
	stmlog_commit(NULL);
	stmlog_commit_now(NULL, 1);
	stmlog_commit_at(NULL, 1);
	stmlog_count_reads(NULL, 1);
	stmlog_wait_begin(NULL, &loss);
	stmlog_wait_begin(NULL, NULL);
	stmlog_wait_end(NULL);
	stmlog_waited(NULL, &loss, 1);
	stmlog_waited_unmeasured(NULL, &loss, TB_HERE(), 1, 1, 1);
	stmlog_was_blocked(NULL, TB_HERE(), 1, true);
	stmlog_was_woken(NULL, TB_HERE(), TB_HERE());
	stmlog_is_blocked_for_ever(NULL, TB_HERE());
	stmlog_unmeasured(NULL, 1, 1);
	stmlog_count_unavailable_traceback(NULL);
	stmlog_claim(NULL);
	stmlog_release(NULL);
	stmlog_push(NULL, TB_HERE());
	stmlog_update(NULL, TB_HERE());
	stmlog_pop(NULL);
	assert_null(stmlog_thread_stack(NULL));
	assert_int_equal(misuse_total(), before);
	assert_int_equal(stmlog_timelog_len(fixture_log), 0);
}

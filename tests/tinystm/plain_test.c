/* SPDX-License-Identifier: MIT
 * A TinySTM as it is built by default: it does not track conflicts (this program calls no function that would link
 * tracking), and may not count aborts. What is not known is reported as unknown. */
#include "tiny_session.h"

#include <errno.h>

static void set_up_uncounted(void)
{
	stand_in_build.counts_aborts = false;
	tiny_session_set_up();
}

static void tear_down_uncounted(void)
{
	stand_in_build.counts_aborts = true;
	tiny_session_tear_down();
}

static const struct test_fixture uncounted_fixture = {set_up_uncounted, tear_down_uncounted};

TEST_WITH(tiny_session_fixture, an_abort_that_nobody_counted_may_be_one_of_two)
{
	struct stmlog_entry entry = tiny_lose(STAND_IN_RW_CONFLICT);
	assert_cause(&entry, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "unknown: RW_CONFLICT, or asked for");
	entry = tiny_lose(STAND_IN_EXPLICIT);
	assert_cause(&entry, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "unknown: RW_CONFLICT, or asked for");
}

TEST_WITH(tiny_session_fixture, without_tracking_no_other_one_is_named)
{
	struct stmlog_entry entry = tiny_lose(STAND_IN_WW_CONFLICT);
	assert_cause(&entry, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "WW_CONFLICT");
	assert_true(tb_is_unknown(entry.remote));
	assert_int_equal(entry.grade, STMLOG_GRADE_UNKNOWN);
}

TEST_WITH(uncounted_fixture, without_counters_the_reason_is_unknown)
{
	static const enum stand_in_reason reasons[] = {
		STAND_IN_EXPLICIT, STAND_IN_RW_CONFLICT, STAND_IN_WW_CONFLICT, STAND_IN_VAL_READ, STAND_IN_KILLED};
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
		struct stmlog_entry entry = tiny_lose(reasons[i]);
		assert_cause(&entry, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "unknown: no TM_STATISTICS2");
		assert_int_equal(entry.lost_ns, 100);
	}
}

TEST_WITH(uncounted_fixture, without_counters_a_write_set_that_was_full_is_known_all_the_same)
{
	struct stmlog_entry entry = tiny_lose(STAND_IN_EXTEND_WS);
	assert_cause(&entry, STMLOG_SELF_ABORT, STMLOG_NONE, "EXTEND_WS");
}

/* The module is registered by now. */
TEST_WITH(no_leaks, with_the_profiler_closed_nothing_is_recorded)
{
	assert_int_equal(stmlog_tinystm_init(), -EALREADY);
	stm_init_thread();
	stand_in_start();
	stand_in_abort(STAND_IN_VAL_READ);
	stand_in_commit();
	assert_null(stmlog_thread_self());
	stm_exit_thread();
}

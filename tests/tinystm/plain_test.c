/* SPDX-License-Identifier: MIT
 * A TinySTM as it is built by default: it does not track conflicts (this program calls no function that would link
 * tracking), and may not count aborts. What is not known is reported as unknown. */
#include "tiny_session.h"

#include <errno.h>

static int setup_uncounted(void **state)
{
	stand_in_build.counts_aborts = false;
	return tiny_session_setup(state);
}

static int teardown_uncounted(void **state)
{
	stand_in_build.counts_aborts = true;
	return tiny_session_teardown(state);
}

static void an_abort_that_nobody_counted_may_be_one_of_two(void **state)
{
	(void)state;
	struct stmlog_entry entry = tiny_lose(STAND_IN_RW_CONFLICT);
	assert_cause(&entry, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "unknown: RW_CONFLICT, or asked for");
	entry = tiny_lose(STAND_IN_EXPLICIT);
	assert_cause(&entry, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "unknown: RW_CONFLICT, or asked for");
}

static void without_tracking_no_other_one_is_named(void **state)
{
	(void)state;
	struct stmlog_entry entry = tiny_lose(STAND_IN_WW_CONFLICT);
	assert_cause(&entry, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "WW_CONFLICT");
	assert_true(tb_is_unknown(entry.remote));
	assert_int_equal(entry.grade, STMLOG_GRADE_UNKNOWN);
}

static void without_counters_the_reason_is_unknown(void **state)
{
	static const enum stand_in_reason reasons[] = {
		STAND_IN_EXPLICIT, STAND_IN_RW_CONFLICT, STAND_IN_WW_CONFLICT, STAND_IN_VAL_READ, STAND_IN_KILLED};
	(void)state;
	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
		struct stmlog_entry entry = tiny_lose(reasons[i]);
		assert_cause(&entry, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "unknown: no TM_STATISTICS2");
		assert_int_equal(entry.lost_ns, 100);
	}
}

static void without_counters_a_write_set_that_was_full_is_known_all_the_same(void **state)
{
	(void)state;
	struct stmlog_entry entry = tiny_lose(STAND_IN_EXTEND_WS);
	assert_cause(&entry, STMLOG_SELF_ABORT, STMLOG_NONE, "EXTEND_WS");
}

/* The module is registered by now. */
static void with_the_profiler_closed_nothing_is_recorded(void **state)
{
	(void)state;
	assert_int_equal(stmlog_tinystm_init(), -EALREADY);
	stm_init_thread();
	stand_in_start();
	stand_in_abort(STAND_IN_VAL_READ);
	stand_in_commit();
	assert_null(stmlog_thread_self());
	stm_exit_thread();
}

#define UNCOUNTED_TEST(claim) cmocka_unit_test_setup_teardown(claim, setup_uncounted, teardown_uncounted)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TINY_TEST(an_abort_that_nobody_counted_may_be_one_of_two),
		TINY_TEST(without_tracking_no_other_one_is_named),
		UNCOUNTED_TEST(without_counters_the_reason_is_unknown),
		UNCOUNTED_TEST(without_counters_a_write_set_that_was_full_is_known_all_the_same),
		FIXTURE_TEST(with_the_profiler_closed_nothing_is_recorded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * The reason that follows from counters and other facts. module_test.c has a test for each reason. */
#include "fixture.h"

#include "stand_in.h"
#include "tiny.h"

static struct tiny_counts counts;
static const struct tiny_attempt *attempt;
static enum tiny_reason reason_told;

static const struct tiny_attempt plain = {.reports_conflicts = true};

/* Called while TinySTM rolls back, as by the module. */
static void on_abort(void *unused)
{
	(void)unused;
	reason_told = tiny_reason(&counts, attempt);
}

static void set_up(void)
{
	if (stand_in_modules() == 0)
		stm_register(NULL, NULL, NULL, NULL, NULL, on_abort, NULL);
	stm_init_thread();
	tiny_counts_open(&counts);
}

static void tear_down(void)
{
	stm_exit_thread();
}

static const struct test_fixture cause_fixture = {set_up, tear_down};

static enum tiny_reason told(enum stand_in_reason reason, const struct tiny_attempt *seen)
{
	attempt = seen;
	stand_in_start();
	stand_in_give_up(reason);
	return reason_told;
}

TEST_WITH(cause_fixture, a_counter_that_moved_decides_whatever_else_was_seen)
{
	static const struct tiny_attempt all = {.has_conflict = true, .is_committing = true, .reports_conflicts = true};
	assert_int_equal(told(STAND_IN_WW_CONFLICT, &all), TINY_WW_CONFLICT);
	assert_int_equal(told(STAND_IN_VAL_WRITE, &plain), TINY_VALIDATE_WRITE);
}

TEST_WITH(cause_fixture, what_no_counter_tells_is_told_by_what_was_seen)
{
	static const struct tiny_attempt met = {.has_conflict = true, .reports_conflicts = true};
	static const struct tiny_attempt committing = {.is_committing = true};
	static const struct tiny_attempt untold = {.reports_conflicts = false};
	assert_int_equal(told(STAND_IN_RW_CONFLICT, &met), TINY_RW_CONFLICT);
	assert_int_equal(told(STAND_IN_IRREVOCABLE, &committing), TINY_IRREVOCABLE);
	assert_int_equal(told(STAND_IN_EXPLICIT, &plain), TINY_ASKED);
	assert_int_equal(told(STAND_IN_EXPLICIT, &untold), TINY_UNCOUNTED);
}

TEST_WITH(cause_fixture, a_write_set_that_has_grown_counts_once)
{
	for (int i = 0; i < 3; i++) {
		assert_int_equal(told(STAND_IN_EXTEND_WS, &plain), TINY_EXTEND_WS);
		assert_int_equal(told(STAND_IN_EXPLICIT, &plain), TINY_ASKED);
		assert_int_equal(told(STAND_IN_VAL_READ, &plain), TINY_VALIDATE_READ);
	}
}

TEST_WITH(cause_fixture, a_write_set_that_is_half_full_or_grew_in_passing_was_not_full)
{
	static const unsigned writes[][2] = {{4096, 2048}, {8192, 5000}, {8192, 4096}, {8192, 0}};
	for (size_t i = 0; i < sizeof writes / sizeof *writes; i++) {
		stand_in_set_writes(writes[i][0], writes[i][1]);
		assert_int_equal(told(STAND_IN_EXPLICIT, &plain), TINY_ASKED);
	}
}

TEST_WITH(cause_fixture, one_thread_begins_with_what_its_counters_say)
{
	told(STAND_IN_WW_CONFLICT, &plain);
	tiny_counts_open(&counts);
	assert_true(counts.are_kept);
	assert_int_equal(counts.by_reason[TINY_WW_CONFLICT], 1);
	assert_int_equal(told(STAND_IN_EXPLICIT, &plain), TINY_ASKED);
}

TEST(each_reason_has_a_cause_that_aborts_may_have)
{
	for (enum tiny_reason reason = 0; reason < TINY_REASONS; reason++) {
		struct stmlog_cause cause = tiny_cause(reason);
		assert_true(cause.reason == STMLOG_SELF_ABORT || cause.reason == STMLOG_ABORTED_BY_OTHER ||
			    cause.reason == STMLOG_USER_ABORT);
		assert_non_null(cause.detail);
	}
}

TEST(whoever_was_met_is_to_blame_only_where_that_was_the_end)
{
	for (int kills = 0; kills < 2; kills++) {
		assert_true(tiny_is_of_conflict(TINY_WW_CONFLICT, kills != 0));
		assert_true(tiny_is_of_conflict(TINY_RW_CONFLICT, kills != 0));
		assert_true(tiny_is_of_conflict(TINY_WR_CONFLICT, kills != 0));
		assert_false(tiny_is_of_conflict(TINY_ASKED, kills != 0));
		assert_false(tiny_is_of_conflict(TINY_EXTEND_WS, kills != 0));
		assert_false(tiny_is_of_conflict(TINY_IRREVOCABLE, kills != 0));
		assert_int_equal(tiny_is_of_conflict(TINY_VALIDATE_COMMIT, kills != 0), kills == 0);
		assert_int_equal(tiny_is_of_conflict(TINY_UNKNOWN, kills != 0), kills == 0);
	}
}

/* SPDX-License-Identifier: MIT
 * The cause of an abort, from the kind of access and the counter of libitm's that has risen. */

#include "cause.h"
#include "test.h"

static void assert_cause(struct stmlog_cause cause, enum stmlog_reason reason, enum stmlog_contention_kind contention,
	const char *detail)
{
	assert_int_equal(cause.reason, reason);
	assert_int_equal(cause.contention, contention);
	assert_string_equal(cause.detail, detail);
}

TEST(without_counters_the_access_decides)
{
	static const struct {
		uint32_t kind;
		enum stmlog_reason reason;
		enum stmlog_contention_kind contention;
		const char *detail;
	} rows[] = {
		{ITM_KIND_NONE, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "in unknown barrier"},
		{ITM_KIND_READ, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "in read barrier"},
		{ITM_KIND_WRITE, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "in write barrier"},
		{ITM_KIND_COPY, STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "in write barrier"},
		{ITM_KIND_COMMIT, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "in commit"},
		{ITM_KIND_MODE, STMLOG_SELF_ABORT, STMLOG_INEVITABLE, "becoming inevitable"},
		{ITM_KIND_NESTED, STMLOG_SELF_ABORT, STMLOG_INEVITABLE, "becoming inevitable"},
		{ITM_KIND_ABORT, STMLOG_USER_ABORT, STMLOG_NONE, "in abort"},
		{ITM_KINDS, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "in unknown barrier"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_cause(itm_cause_of_restart(rows[i].kind, ITM_REASONS, ITM_METHOD_LOCKS), rows[i].reason,
			rows[i].contention, rows[i].detail);
}

TEST(a_counter_that_moved_decides_over_the_access)
{
	static const struct {
		enum itm_reason reason;
		enum stmlog_contention_kind contention;
		const char *detail;
	} rows[] = {
		{ITM_REASON_REALLOCATE, STMLOG_NONE, "REALLOCATE"},
		{ITM_REASON_LOCKED_READ, STMLOG_WRITE_READ, "LOCKED_READ"},
		{ITM_REASON_LOCKED_WRITE, STMLOG_WRITE_WRITE, "LOCKED_WRITE"},
		{ITM_REASON_VALIDATE_READ, STMLOG_WRITE_READ, "VALIDATE_READ"},
		{ITM_REASON_VALIDATE_WRITE, STMLOG_WRITE_WRITE, "VALIDATE_WRITE"},
		{ITM_REASON_VALIDATE_COMMIT, STMLOG_WRITE_READ, "VALIDATE_COMMIT"},
		{ITM_REASON_SERIAL_IRR, STMLOG_INEVITABLE, "SERIAL_IRR"},
		{ITM_REASON_NOT_READONLY, STMLOG_NONE, "NOT_READONLY"},
		{ITM_REASON_CLOSED_NESTING, STMLOG_NONE, "CLOSED_NESTING"},
		{ITM_REASON_INIT_METHOD_GROUP, STMLOG_NONE, "INIT_METHOD_GROUP"},
	};
	assert_int_equal(sizeof rows / sizeof *rows, ITM_REASONS);
	for (size_t i = 0; i < ITM_REASONS; i++)
		assert_cause(itm_cause_of_restart(ITM_KIND_WRITE, rows[i].reason, ITM_METHOD_LOCKS), STMLOG_SELF_ABORT,
			rows[i].contention, rows[i].detail);
}

TEST(a_restart_out_of_abort_is_the_users)
{
	assert_cause(itm_cause_of_restart(ITM_KIND_ABORT, ITM_REASON_CLOSED_NESTING, ITM_METHOD_LOCKS),
		STMLOG_USER_ABORT, STMLOG_NONE, "CLOSED_NESTING");
	assert_cause(itm_cause_of_cancel(), STMLOG_USER_ABORT, STMLOG_NONE, "cancel");
}

TEST(a_first_write_under_serial_on_write_asks_to_become_inevitable)
{
	assert_cause(itm_cause_of_restart(ITM_KIND_WRITE, ITM_REASONS, ITM_METHOD_SERIAL_ON_WRITE), STMLOG_SELF_ABORT,
		STMLOG_INEVITABLE, "becoming inevitable");
	assert_cause(itm_cause_of_restart(ITM_KIND_COMMIT, ITM_REASONS, ITM_METHOD_SERIAL_ON_WRITE), STMLOG_SELF_ABORT,
		STMLOG_WRITE_READ, "in commit");
}

TEST(the_reason_is_the_one_whose_counter_moved)
{
	for (enum itm_reason reason = 0; reason < ITM_REASONS; reason++) {
		uint32_t before[ITM_REASONS] = {7, 7, 7, 7, 7, 7, 7, 7, 7, UINT32_MAX};
		uint32_t after[ITM_REASONS];
		memcpy(after, before, sizeof after);
		assert_int_equal(itm_reason_moved(before, after), ITM_REASONS);
		after[reason]++;
		assert_int_equal(itm_reason_moved(before, after), reason);
		after[ITM_REASON_VALIDATE_READ] += 3; /* begin waited for the global lock as well */
		assert_int_equal(itm_reason_moved(before, after), reason);
	}
}

TEST(a_lock_is_the_evidence_where_an_access_ran_into_one)
{
	static const uint32_t kinds[] = {ITM_KIND_READ, ITM_KIND_WRITE, ITM_KIND_COPY};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		assert_int_equal(
			itm_evidence_of(kinds[i], ITM_REASON_LOCKED_READ, ITM_METHOD_LOCKS), ITM_EVIDENCE_LOCK);
		assert_int_equal(
			itm_evidence_of(kinds[i], ITM_REASON_LOCKED_WRITE, ITM_METHOD_LOCKS), ITM_EVIDENCE_LOCK);
		assert_int_equal(itm_evidence_of(kinds[i], ITM_REASONS, ITM_METHOD_LOCKS), ITM_EVIDENCE_LOCK);
		assert_int_equal(
			itm_evidence_of(kinds[i], ITM_REASON_VALIDATE_READ, ITM_METHOD_LOCKS), ITM_EVIDENCE_READS);
	}
	assert_int_equal(
		itm_evidence_of(ITM_KIND_COMMIT, ITM_REASON_VALIDATE_COMMIT, ITM_METHOD_LOCKS), ITM_EVIDENCE_READS);
	assert_int_equal(itm_evidence_of(ITM_KIND_COMMIT, ITM_REASONS, ITM_METHOD_LOCKS), ITM_EVIDENCE_READS);
}

TEST(there_is_no_evidence_where_data_are_not_the_matter)
{
	for (enum itm_reason reason = 0; reason <= ITM_REASONS; reason++) {
		assert_int_equal(itm_evidence_of(ITM_KIND_WRITE, reason, ITM_METHOD_GLOBAL_LOCK), ITM_EVIDENCE_NONE);
		assert_int_equal(
			itm_evidence_of(ITM_KIND_WRITE, reason, ITM_METHOD_SERIAL_ON_WRITE), ITM_EVIDENCE_NONE);
	}
	assert_int_equal(itm_evidence_of(ITM_KIND_MODE, ITM_REASON_SERIAL_IRR, ITM_METHOD_LOCKS), ITM_EVIDENCE_NONE);
	assert_int_equal(itm_evidence_of(ITM_KIND_MODE, ITM_REASONS, ITM_METHOD_LOCKS), ITM_EVIDENCE_NONE);
	assert_int_equal(itm_evidence_of(ITM_KIND_ABORT, ITM_REASONS, ITM_METHOD_LOCKS), ITM_EVIDENCE_NONE);
	assert_int_equal(
		itm_evidence_of(ITM_KIND_NESTED, ITM_REASON_CLOSED_NESTING, ITM_METHOD_LOCKS), ITM_EVIDENCE_NONE);
}

TEST(a_wait_has_the_cause_of_where_it_was)
{
	for (int is_serial = 0; is_serial <= 1; is_serial++) {
		assert_cause(itm_cause_of_wait(ITM_WAIT_BEGIN, ITM_METHOD_LOCKS, is_serial), STMLOG_WAIT,
			STMLOG_INEVITABLE, "BEGIN_WAIT");
		assert_cause(itm_cause_of_wait(ITM_WAIT_RESTART, ITM_METHOD_LOCKS, is_serial), STMLOG_WAIT,
			STMLOG_INEVITABLE, "RESTART_WAIT");
		assert_cause(itm_cause_of_wait(ITM_WAIT_UPGRADE, ITM_METHOD_GLOBAL_LOCK, is_serial), STMLOG_PAUSE,
			STMLOG_INEVITABLE, "UPGRADE_WAIT");
		assert_cause(itm_cause_of_wait(ITM_WAIT_COMMIT, ITM_METHOD_GLOBAL_LOCK, is_serial), STMLOG_PAUSE,
			STMLOG_WRITE_READ, "COMMIT_WAIT");
	}
}

TEST(under_the_global_lock_an_attempt_waits_for_a_writer)
{
	assert_cause(itm_cause_of_wait(ITM_WAIT_BEGIN, ITM_METHOD_GLOBAL_LOCK, false), STMLOG_PAUSE, STMLOG_WRITE_READ,
		"BEGIN_WAIT");
	assert_cause(itm_cause_of_wait(ITM_WAIT_RESTART, ITM_METHOD_GLOBAL_LOCK, false), STMLOG_PAUSE,
		STMLOG_WRITE_READ, "RESTART_WAIT");
	assert_cause(itm_cause_of_wait(ITM_WAIT_BEGIN, ITM_METHOD_GLOBAL_LOCK, true), STMLOG_WAIT, STMLOG_INEVITABLE,
		"BEGIN_WAIT");
}

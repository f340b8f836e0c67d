/* SPDX-License-Identifier: MIT
 * Which rules a method of libitm rules out, and what a method costs that runs one transaction at a time or has one
 * lock.
 */
#include "findings_search.h"
#include "stories.h"

static const char *const methods[] = {
	"ml_wt", "gl_wt", "serial", "serialirr", "serialirr_onwrite", "htm", "unknown", ""};
enum { METHODS = sizeof methods / sizeof methods[0] };

static void begin_with(const char *method)
{
	made_begin(&made);
	made.recording.info.method = method;
}

static bool is_one_at_a_time(const char *method)
{
	return strncmp(method, "serial", 6) == 0;
}

static void each_rule_can_be_true_under_some_method(void **state)
{
	(void)state;
	for (int rule = 0; rule < FINDING_RULES; rule++) {
		bool can_be = false;
		for (size_t i = 0; i < METHODS; i++) {
			begin_with(methods[i]);
			can_be = can_be || findings_can_be(&made.recording, (enum finding_rule)rule);
		}
		assert_true(can_be);
	}
}

static void another_runtime_has_its_own_methods(void **state)
{
	static const char *const runtimes[] = {"smallstm", "libitm, smallstm"};
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		begin_with("serial");
		made.recording.info.runtime = runtimes[i];
		lose_to_reader(LOST);
		assert_non_null(finding_of(FINDING_COMMIT_WAIT));
		assert_null(finding_of(FINDING_ONE_AT_A_TIME));
	}
}

/* No commit waits for a reader, none becomes irrevocable to run alone, and none starves. */
static void where_one_runs_at_a_time_that_is_the_cause(void **state)
{
	static void (*const lose[])(uint64_t) = {lose_to_reader, lose_to_irrevocable, lose_to_starved, lose_to_place};
	static const enum finding_rule rules[] = {
		FINDING_COMMIT_WAIT, FINDING_IRREVOCABLE, FINDING_STARVATION, FINDING_ONE_PLACE};
	(void)state;
	for (size_t i = 0; i < METHODS; i++) {
		for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++) {
			begin_with(methods[i]);
			lose[k](LOST);
			const struct copied *copied = finding_of(FINDING_ONE_AT_A_TIME);
			assert_int_equal(copied != NULL, is_one_at_a_time(methods[i]));
			if (copied == NULL)
				continue;
			assert_int_equal(causes(), 1);
			assert_int_equal(copied->finding.lost.ns, LOST);
			assert_string_equal(copied->where, "50.0 % of the time waits");
			assert_non_null(strstr(copied->because, methods[i]));
			assert_null(finding_of(rules[k]));
		}
	}
}

/* Of timed transactions only: no loss was measured closely. */
static void what_timed_transactions_have_waited_counts(void **state)
{
	(void)state;
	for (uint64_t less = 0; less < 2; less++) {
		begin_with("serialirr");
		made.recording.info.sampled = 1;
		made.recording.info.timed_commits = 100;
		made.has_own_account = true;
		made.threads[0].estimated_paused_ns = MADE_THREADS_NS / 20 - less;
		made.threads[0].row_doubt_ns[STMLOG_ACCOUNT_PAUSED] = MADE_THREADS_NS;
		const struct copied *copied = finding_of(FINDING_ONE_AT_A_TIME);
		assert_int_equal(copied != NULL, less == 0);
		if (copied != NULL)
			assert_int_equal(copied->finding.lost.ns, MADE_THREADS_NS / 20);
	}
}

static void an_abort_that_the_program_has_asked_for_is_not_the_methods_doing(void **state)
{
	(void)state;
	begin_with("serial");
	lose_elsewhere(1000, LOST);
	assert_null(finding_of(FINDING_ONE_AT_A_TIME));
	begin_with("serial");
	lose_elsewhere(1000, LOST);
	lose_to_reader(LOST / 2);
	const struct copied *copied = finding_of(FINDING_ONE_AT_A_TIME);
	assert_non_null(copied);
	assert_in_range(copied->finding.lost.ns, LOST / 2 - 1, LOST / 2 + 1);
}

/* The root is the lock: who starves, starves because of it. */
static void the_one_lock_explains_what_irrevocable_transactions_leave(void **state)
{
	(void)state;
	begin_with("gl_wt");
	lose_to_starved(LOST);
	lose_to_irrevocable(LOST / 2);
	const struct copied *copied = finding_of(FINDING_ONE_LOCK);
	assert_non_null(copied);
	assert_in_range(copied->finding.lost.ns, LOST - 1, LOST + 1);
	assert_string_equal(copied->where, "50.0 % of the time waits");
	assert_string_equal(copied->because, "method gl_wt");
	assert_null(finding_of(FINDING_STARVATION));
	begin_with("gl_wt");
	abort_because_of_itself(ABORTS);
	lose_to_irrevocable(LOST / 2);
	copied = finding_of(FINDING_IRREVOCABLE);
	assert_non_null(copied);
	assert_int_equal(copied->finding.lost.ns, LOST / 2);
	begin_with("ml_wt");
	lose_to_starved(LOST);
	assert_null(finding_of(FINDING_ONE_LOCK));
}

static void without_locks_of_stripes_no_variables_share_one(void **state)
{
	(void)state;
	for (size_t i = 0; i < METHODS; i++) {
		begin_with(methods[i]);
		abort_over_aliases(ABORTS);
		bool has_stripes = i == 0 || i >= METHODS - 2;
		assert_int_equal(finding_of(FINDING_LOCK_ALIAS) != NULL, has_stripes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rule_can_be_true_under_some_method),
		cmocka_unit_test(another_runtime_has_its_own_methods),
		cmocka_unit_test(where_one_runs_at_a_time_that_is_the_cause),
		cmocka_unit_test(what_timed_transactions_have_waited_counts),
		cmocka_unit_test(an_abort_that_the_program_has_asked_for_is_not_the_methods_doing),
		cmocka_unit_test(the_one_lock_explains_what_irrevocable_transactions_leave),
		cmocka_unit_test(without_locks_of_stripes_no_variables_share_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * Which rules a method of libitm rules out, and what a method costs that runs one transaction at a time or has one
 * lock.
 */
#include <stdio.h>

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

/* By hand, from what libitm does. Under serial and serialirr no two transactions run at a time: none fails over data,
 * and none waits to run alone. Under serialirr_onwrite they read together; but the first one that writes runs alone,
 * and one that wants to as well fails once and is the next. Under gl_wt a transaction that writes has the one lock,
 * whatever it touches, so that no data are to blame; its commit waits for older transactions as under ml_wt. Under htm
 * only those losses are seen that the program asks for. A retry that sleeps is no part of libitm. */
static const struct {
	enum finding_rule rule;
	const char *methods;
} true_under[] = {
	{FINDING_IRREVOCABLE, " ml_wt gl_wt other "},
	{FINDING_HERD, " other "},
	{FINDING_POLLING, " ml_wt gl_wt serial serialirr serialirr_onwrite htm other "},
	{FINDING_LARGE_READ_SET, " ml_wt other "},
	{FINDING_FALSE_SHARING, " ml_wt other "},
	{FINDING_LOCK_ALIAS, " ml_wt other "},
	{FINDING_HOT_WORD, " ml_wt other "},
	{FINDING_SELF_CONFLICT, " ml_wt other "},
	{FINDING_MUTUAL_PAIR, " ml_wt other "},
	{FINDING_STARVATION, " ml_wt other "},
	{FINDING_DESCHEDULED_HOLDER, " ml_wt gl_wt serial serialirr serialirr_onwrite other "},
	{FINDING_COMMIT_WAIT, " ml_wt gl_wt other "},
	{FINDING_ONE_AT_A_TIME, " serial serialirr serialirr_onwrite "},
	{FINDING_ONE_LOCK, " gl_wt "},
	{FINDING_PRIVATIZATION, " ml_wt gl_wt other "},
	{FINDING_ONE_PLACE, " ml_wt gl_wt serial serialirr serialirr_onwrite other "},
	{FINDING_LITTLE_LOST, " ml_wt gl_wt serial serialirr serialirr_onwrite other "},
};

TEST(each_rule_is_off_where_it_cannot_be_true)
{
	assert_int_equal(sizeof true_under / sizeof true_under[0], FINDING_RULES);
	for (size_t rule = 0; rule < FINDING_RULES; rule++) {
		assert_int_equal(true_under[rule].rule, rule);
		for (size_t i = 0; i < METHODS; i++) {
			char word[24];
			bool is_known = methods[i][0] != '\0' && strcmp(methods[i], "unknown") != 0;
			snprintf(word, sizeof word, " %s ", is_known ? methods[i] : "other");
			begin_with(methods[i]);
			bool can_be = findings_can_be(&made.recording, (enum finding_rule)rule);
			if (can_be != (strstr(true_under[rule].methods, word) != NULL))
				fail_msg("%s %s under '%s'", finding_rule_row((enum finding_rule)rule)->name,
					can_be ? "can be true" : "is off", methods[i]);
		}
	}
}

TEST(another_runtime_has_its_own_methods)
{
	static const char *const runtimes[] = {"smallstm", "libitm, smallstm"};
	for (size_t i = 0; i < 2; i++) {
		begin_with("serial");
		made.recording.info.runtime = runtimes[i];
		lose_to_reader(LOST);
		assert_non_null(finding_of(FINDING_COMMIT_WAIT));
		assert_null(finding_of(FINDING_ONE_AT_A_TIME));
	}
}

/* No commit waits for a reader, none becomes irrevocable to run alone, and none starves. */
TEST(where_one_runs_at_a_time_that_is_the_cause)
{
	static void (*const lose[])(uint64_t) = {lose_to_reader, lose_to_irrevocable, lose_to_starved, lose_to_place};
	static const enum finding_rule rules[] = {
		FINDING_COMMIT_WAIT, FINDING_IRREVOCABLE, FINDING_STARVATION, FINDING_ONE_PLACE};
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
			assert_string_equal(copied->finding.advice, "ITM_DEFAULT_METHOD=ml_wt");
			assert_non_null(strstr(copied->because, methods[i]));
			assert_null(finding_of(rules[k]));
		}
	}
}

/* Of timed transactions only: no loss was measured closely. */
TEST(what_timed_transactions_have_waited_counts)
{
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

/* Half of the threads' time was off the processors: beside other programs a program waits less. */
TEST(time_off_the_processors_does_not_hide_what_the_method_costs)
{
	for (uint64_t less = 0; less < 2; less++) {
		begin_with("serialirr");
		made.recording.info.descheduled_known = 1;
		made.threads[0].descheduled_ns = MADE_THREADS_NS / 2;
		lose_to_reader(MADE_THREADS_NS / 40 - less);
		assert_int_equal(finding_of(FINDING_ONE_AT_A_TIME) != NULL, less == 0);
	}
}

TEST(an_abort_that_the_program_has_asked_for_is_not_the_methods_doing)
{
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
TEST(the_one_lock_explains_what_irrevocable_transactions_leave)
{
	begin_with("gl_wt");
	lose_to_starved(LOST);
	lose_to_irrevocable(LOST / 2);
	const struct copied *copied = finding_of(FINDING_ONE_LOCK);
	assert_non_null(copied);
	assert_in_range(copied->finding.lost.ns, LOST - 1, LOST + 1);
	assert_string_equal(copied->where, "50.0 % of the time waits");
	assert_string_equal(copied->because, "method gl_wt");
	assert_string_equal(copied->finding.advice, "ITM_DEFAULT_METHOD=ml_wt");
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

TEST(without_locks_of_stripes_no_variables_share_one)
{
	for (size_t i = 0; i < METHODS; i++) {
		begin_with(methods[i]);
		abort_over_aliases(ABORTS);
		bool has_stripes = i == 0 || i >= METHODS - 2;
		assert_int_equal(finding_of(FINDING_LOCK_ALIAS) != NULL, has_stripes);
	}
}

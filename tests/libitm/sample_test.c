/* SPDX-License-Identifier: MIT
 * How many transactions are let pass, and what is handed over of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "agent.h"
#include "session_fixture.h"

/* The agent's own are not linked in: they would hook this program. */
struct itm_agent itm_agent;
__thread struct itm_thread itm_self __attribute__((tls_model("initial-exec")));

static int setup(void **state)
{
	itm_self = (struct itm_thread){.countdown = 0};
	itm_agent.options.sample = 10;
	itm_agent.has_counters = false;
	return session_setup(state);
}

static void with_one_in_one_none_is_let_pass(void **state)
{
	(void)state;
	itm_agent.options.sample = 1;
	for (int i = 0; i < 100; i++)
		assert_int_equal(itm_draw(), 0);
}

static void draws_reach_both_ends_and_are_n_less_one_on_average(void **state)
{
	(void)state;
	static const uint32_t samples[] = {2, 3, 10, 64};
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		itm_agent.options.sample = samples[i];
		int32_t highest = (int32_t)(2 * samples[i] - 2), low = highest, high = 0;
		int64_t sum = 0;
		for (int k = 0; k < 100000; k++) {
			int32_t draw = itm_draw();
			assert_in_range(draw, 0, highest);
			low = draw < low ? draw : low;
			high = draw > high ? draw : high;
			sum += draw;
		}
		assert_int_equal(low, 0);
		assert_int_equal(high, highest);
		/* Ten standard deviations of the mean of 100,000. */
		double mean = (double)sum / 100000, expected = samples[i] - 1;
		assert_true(mean > expected - 0.0183 * samples[i] && mean < expected + 0.0183 * samples[i]);
	}
}

static void threads_draw_differently(void **state)
{
	(void)state;
	itm_agent.options.sample = 1000000;
	int32_t first = itm_draw();
	itm_self.random = 0x1234;
	assert_int_not_equal(itm_draw(), first);
}

static void what_was_let_pass_is_handed_over_once(void **state)
{
	(void)state;
	struct stmlog_account account;
	itm_self.thread = stmlog_thread_self();
	itm_self.commits = 90;
	itm_self.cancels = 4;
	itm_hand_over();
	itm_hand_over();
	stmlog_account_read(itm_self.thread, &account);
	assert_int_equal(account.unmeasured_commits, 90);
	assert_int_equal(account.unmeasured_aborts, 4);
	assert_int_equal(itm_self.commits + itm_self.cancels, 0);
}

static void without_counters_there_are_no_restarts_to_read(void **state)
{
	(void)state;
	assert_int_equal(itm_restarts(), 0);
}

static void before_its_first_transaction_a_thread_has_no_restarts(void **state)
{
	(void)state;
	itm_agent.has_counters = true;
	assert_null(itm_counters());
	assert_int_equal(itm_restarts(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(with_one_in_one_none_is_let_pass, setup, session_teardown),
		cmocka_unit_test_setup_teardown(
			draws_reach_both_ends_and_are_n_less_one_on_average, setup, session_teardown),
		cmocka_unit_test_setup_teardown(threads_draw_differently, setup, session_teardown),
		cmocka_unit_test_setup_teardown(what_was_let_pass_is_handed_over_once, setup, session_teardown),
		cmocka_unit_test_setup_teardown(
			without_counters_there_are_no_restarts_to_read, setup, session_teardown),
		cmocka_unit_test_setup_teardown(
			before_its_first_transaction_a_thread_has_no_restarts, setup, session_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 * The sampling interval, chosen by the cost of measuring. */

#include "fake_clock.h"
#include "pace.h"
#include "random.h"
#include "test.h"

enum { MAX = 256 };
static const struct itm_pace_limits limits = {.share = 0.01, .min = 1, .max = MAX};

static double share_at(uint32_t every, const struct itm_pace_window *window)
{
	double cost_ns =
		(double)window->transactions * window->transaction_ns + (double)window->aborts * window->abort_ns;
	double time_ns = (double)window->time_ns - (double)window->transactions * window->transaction_ns / 2;
	return cost_ns / (every * time_ns);
}

TEST(it_is_the_smallest_power_of_two_that_keeps_to_the_share)
{
	struct random random = {1};
	for (int i = 0; i < 10000; i++) {
		uint64_t transactions = 1 + random_below(&random, 1000);
		struct itm_pace_window window = {
			.transactions = transactions,
			.aborts = random_below(&random, 2000),
			.time_ns = transactions * (100 + random_below(&random, 20000)),
			.transaction_ns = 10 + random_below(&random, 100),
			.abort_ns = random_below(&random, 3000),
		};
		uint32_t every = itm_pace_choose(1, &window, &limits);
		assert_in_range(every, 1, MAX);
		assert_int_equal(every & (every - 1), 0);
		assert_true(every == MAX || share_at(every, &window) <= limits.share);
		assert_true(every == 1 || share_at(every / 2, &window) > limits.share);
	}
}

TEST(the_share_may_be_of_a_longer_time_than_that_in_transactions)
{
	struct itm_pace_window window = {.transactions = 100, .time_ns = 100 * 1000, .transaction_ns = 80};
	struct itm_pace_limits longer = limits;
	assert_int_equal(itm_pace_choose(1, &window, &longer), 16);
	longer.time_ns = 100 * 1000;
	assert_int_equal(itm_pace_choose(1, &window, &longer), 8);
	longer.time_ns = 100 * 8000;
	assert_int_equal(itm_pace_choose(1, &window, &longer), 1);
}

TEST(it_stays_where_it_is_about_right)
{
	struct random random = {2};
	for (int i = 0; i < 10000; i++) {
		struct itm_pace_window window = {
			.transactions = 1000,
			.time_ns = 1000 * (uint64_t)(60 + random_below(&random, 20000)),
			.transaction_ns = 60,
		};
		uint32_t up = itm_pace_choose(1, &window, &limits), down = itm_pace_choose(MAX, &window, &limits);
		assert_true(down == up || down == 2 * up);
		assert_int_equal(itm_pace_choose(up, &window, &limits), up);
		assert_int_equal(itm_pace_choose(down, &window, &limits), down);
	}
}

TEST(extremes_give_the_ends)
{
	struct itm_pace_window nothing = {.transactions = 0, .time_ns = 0, .transaction_ns = 60};
	struct itm_pace_window no_time = {.transactions = 100, .time_ns = 0, .transaction_ns = 60};
	struct itm_pace_window no_cost = {.transactions = 100, .time_ns = 1, .transaction_ns = 0};
	struct itm_pace_window cancels = {.transactions = 0, .aborts = 5, .time_ns = 10, .transaction_ns = 60};
	assert_int_equal(itm_pace_choose(8, &nothing, &limits), 8);
	assert_int_equal(itm_pace_choose(8, &no_time, &limits), MAX);
	assert_int_equal(itm_pace_choose(8, &no_cost, &limits), 1);
	assert_int_equal(itm_pace_choose(8, &cancels, &limits), 8);
}

TEST(it_looks_early_once_and_then_seldom)
{
	struct itm_pace pace = {.measured = 0};
	int due = 0, first = 0;
	for (int i = 1; i <= 10000; i++) {
		bool is_due = itm_pace_is_due(&pace, false);
		due += is_due;
		first = first == 0 && is_due ? i : first;
	}
	assert_int_equal(first, 64);
	assert_int_equal(due, 1 + (10000 - 64) / 128);
}

TEST(it_looks_after_four_transactions_in_a_crowd_and_then_as_seldom)
{
	struct itm_pace pace = {.measured = 0};
	for (int i = 1; i <= 4 + 128; i++)
		assert_int_equal(itm_pace_is_due(&pace, true), i == 4 || i == 4 + 128);
}

TEST(a_look_sees_what_was_measured_since_the_last_one)
{
	struct itm_pace pace = {.measured = 0};
	struct stmlog_attempts measured = {.commits = 1000, .time_ns = 1000 * 10000};
	assert_int_equal(itm_pace_look(&pace, 1, 60, &measured, &limits), 1);
	measured.commits += 1000;
	measured.time_ns += 1000 * 130;
	measured.aborts = 500;
	/* Measuring costs 60 ns; the transaction takes 100 ns: 130 less half the cost. */
	assert_int_equal(itm_pace_look(&pace, 1, 60, &measured, &limits), 64);
	assert_int_equal(itm_pace_look(&pace, 64, 60, &measured, &limits), 64);
}

TEST(the_next_thread_goes_on_with_the_checks_of_one_that_has_ended)
{
	struct itm_pace ended = {.measured = 0}, whole = {.measured = 0};
	const struct stmlog_attempts each = {.commits = 10, .time_ns = 1000, .aborts = 3};
	struct stmlog_attempts sum = {.commits = 0};
	for (int i = 0; i < 4; i++) {
		struct itm_pace pace = itm_pace_follow(&ended);
		sum.commits += each.commits;
		sum.time_ns += each.time_ns;
		sum.aborts += each.aborts;
		pace.cancels += 2;
		whole.cancels += 2;
		if (i % 2 == 1) {
			pace.looks++;
			itm_pace_look(&pace, 1, 60, &each, &limits);
			itm_pace_look(&whole, 1, 60, &sum, &limits);
			assert_int_equal(whole.window.transactions, 24);
			assert_memory_equal(&pace.window, &whole.window, sizeof pace.window);
		}
		assert_int_equal(itm_pace_end(&ended, &pace, &each), i % 2 == 1);
	}
	assert_int_equal(ended.cancels, 0);
}

TEST(threads_that_follow_at_the_same_time_all_bring_the_next_check_nearer)
{
	enum { THREADS = 5, EACH = 10 };
	struct itm_pace ended = {.measured = 0}, threads[THREADS];
	const struct stmlog_attempts measured = {.commits = EACH, .time_ns = 1000};
	for (int i = 0; i < THREADS; i++)
		threads[i] = itm_pace_follow(&ended);
	for (int i = 0; i < THREADS; i++) {
		for (int each = 0; each < EACH; each++)
			assert_false(itm_pace_is_due(&threads[i], false));
		itm_pace_end(&ended, &threads[i], &measured);
	}
	assert_int_equal(ended.measured, THREADS * EACH);
	struct itm_pace next = itm_pace_follow(&ended);
	itm_pace_look(&next, 1, 60, &measured, &limits);
	assert_int_equal(next.window.transactions, (THREADS + 1) * EACH);
}

TEST(timed_transactions_have_an_interval_of_their_own)
{
	struct itm_pace pace = {.measured = 0};
	struct stmlog_attempts measured = {.commits = 1000, .time_ns = 1000 * 1030, .aborts = 1000};
	pace.first_ns = 5000;
	assert_int_equal(itm_pace_look(&pace, 1, 60, &measured, &limits), MAX);
	/* 60 ns of each 1,000 are allowed in one transaction of 8. */
	assert_int_equal(itm_pace_timed(&pace, 1, 60, &limits), 8);
	assert_int_equal(itm_pace_timed(&pace, 1, 60, &(struct itm_pace_limits){0.01, 16, 64, 0}), 16);
	assert_int_equal(itm_pace_timed(&pace, 1, 600, &(struct itm_pace_limits){0.01, 1, 32, 0}), 32);
}

TEST(transactions_that_the_program_cancels_count_as_well)
{
	struct itm_pace pace = {.cancels = 1000};
	struct stmlog_attempts measured = {.aborts = 1000, .time_ns = 1000 * 10000};
	assert_int_equal(itm_pace_look(&pace, 1, 60, &measured, &limits), 1);
	pace.cancels += 1000;
	measured.aborts += 1000;
	measured.time_ns += 1000 * 130;
	assert_int_equal(itm_pace_look(&pace, 1, 60, &measured, &limits), 64);
	assert_int_equal(itm_pace_look(&pace, 64, 60, &measured, &limits), 64);
}

TEST(one_long_transaction_does_not_make_it_measure_more)
{
	struct itm_pace pace = {.measured = 0};
	struct stmlog_attempts measured = {.commits = 0};
	uint32_t every = 64;
	for (int i = 0; i < 20; i++) {
		measured.commits += 1000;
		measured.time_ns += 1000 * 130 + (i % 4 == 0 ? 4000000u : 0u);
		every = itm_pace_look(&pace, every, 60, &measured, &limits);
		assert_int_equal(every, 64);
	}
	for (int i = 1; i <= 4; i++) {
		measured.commits += 1000;
		measured.time_ns += 1000 * 10000;
		every = itm_pace_look(&pace, every, 60, &measured, &limits);
		assert_int_equal(every, i < 4 ? 64 : 1);
	}
}

static void time_abort(struct itm_pace *pace, uint64_t first_ns, uint64_t rest_ns)
{
	itm_pace_abort_begin(pace, true);
	fake_clock_advance(first_ns);
	itm_pace_abort_end(pace, true);
	fake_clock_advance(1000000);
	itm_pace_abort_begin(pace, false);
	fake_clock_advance(rest_ns);
	itm_pace_abort_end(pace, false);
}

TEST(what_aborts_cost_is_timed_and_early_ones_are_forgotten)
{
	struct itm_pace pace = {.measured = 0};
	stmlog_set_clock(fake_clock_now_ns);
	assert_int_equal(stmlog_open(&(struct stmlog_setup){.report = "none"}), 0);
	time_abort(&pace, 100000, 50000);
	assert_true(pace.first_ns + pace.rest_ns > 149999 && pace.first_ns + pace.rest_ns < 150001);
	for (int i = 0; i < 2000; i++)
		time_abort(&pace, 100, 400);
	assert_true(pace.first_ns + pace.rest_ns > 499 && pace.first_ns + pace.rest_ns < 501);
	for (int i = 0; i < 16; i++)
		time_abort(&pace, 100, i == 7 ? 4000000 : 400);
	assert_true(pace.first_ns + pace.rest_ns < 700);
	stmlog_close();
	stmlog_set_clock(NULL);
}

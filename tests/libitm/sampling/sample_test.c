/* SPDX-License-Identifier: MIT
 * Which transactions are measured, and what the estimates are worth. */

#include <valgrind/valgrind.h>

#include "sample_program.h"

static const struct test_fixture sample_fixture = {set_up, session_tear_down};

/* ---- drawing ---- */

TEST_WITH(sample_fixture, with_one_in_one_none_is_let_pass)
{
	begin_with(1);
	for (int i = 0; i < 100; i++)
		assert_int_equal(itm_draw(), 0);
}

TEST_WITH(sample_fixture, draws_reach_both_ends_and_are_n_less_one_on_average)
{
	static const uint32_t samples[] = {2, 3, 10, 64};
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		begin_with(samples[i]);
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
		/* Ten standard deviations of the mean of 100,000 draws. */
		double mean = (double)sum / 100000, expected = samples[i] - 1;
		assert_true(mean > expected - 0.0183 * samples[i] && mean < expected + 0.0183 * samples[i]);
	}
}

TEST_WITH(sample_fixture, threads_draw_differently)
{
	begin_with(1000000);
	int32_t first = itm_draw();
	itm_self.random = 0x1234;
	assert_int_not_equal(itm_draw(), first);
}

/* ---- measuring ---- */

static void transact(struct program *program, uint64_t committed_ns, uint64_t lost_ns)
{
	uint64_t timed = program->timed;
	bool is_measured = begin(program) != 0, is_timed = program->timed != timed;
	if (lost_ns != 0) {
		struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
		fake_clock_advance(lost_ns);
		if (is_measured) {
			stmlog_abort(itm_self.thread, &loss);
			stmlog_retry(itm_self.thread);
		}
	}
	fake_clock_advance(committed_ns);
	struct stmlog_timed_transaction times = {.weight = itm_self.watch.weight,
		.has_committed = true,
		.committed_ns = committed_ns,
		.aborted_ns = lost_ns};
	if (is_timed)
		stmlog_timed(itm_self.thread, &times);
	if (is_measured)
		stmlog_commit(itm_self.thread);
	else
		itm_counts_add(&itm_self.ring->counts.commits);
	program->committed_ns += (double)committed_ns;
	program->lost_ns += (double)lost_ns;
}

/* Of 20 transactions 3 abort, for up to 2 us. */
static void transact_any(struct program *program)
{
	uint64_t committed_ns = 200 + random_below(&program->random, 600);
	uint64_t lost_ns = random_below(&program->random, 20) < 3 ? 1 + random_below(&program->random, 2000) : 0;
	transact(program, committed_ns, lost_ns);
	fake_clock_advance(100);
}

static struct stmlog_cost lost(void)
{
	struct stmlog_totals totals;
	stmlog_timelog_totals(fixture_log, &totals);
	return totals.by_cause[STMLOG_SELF_ABORT][STMLOG_WRITE_WRITE];
}

TEST_WITH(sample_fixture, all_are_measured_with_one_in_one)
{
	struct program program = {.random = {1}};
	begin_with(1);
	itm_agent.has_counters = itm_agent.has_totals = true;
	for (int i = 0; i < 200000; i++)
		transact_any(&program);
	assert_int_equal(program.measured, program.transactions);
	assert_int_equal(account_of(me()).estimated_committed_ns, account_of(me()).committed_ns);
	assert_true(lost().variance_ns2 == 0);
}

/* One in 16 and one in 64 of the same program are measured: the true value lies in each interval in 95 of 100 runs. */
TEST_WITH(sample_fixture, whatever_n_is_the_intervals_hold_the_truth)
{
	static const uint32_t samples[] = {16, 64};
	enum { TRANSACTIONS = 20000 };
	const int runs = RUNNING_ON_VALGRIND ? 40 : 300;
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		int held = 0;
		for (int run = 0; run < runs; run++) {
			struct program program = {.random = {(uint64_t)run + 1}};
			stmlog_timelog_clear(fixture_log);
			itm_self.random = 0;
			begin_with(samples[i]);
			itm_self.random = (uint64_t)run * 77 + 5;
			for (int k = 0; k < TRANSACTIONS; k++)
				transact_any(&program);
			double error_ns = lost().estimated_ns - program.lost_ns;
			double half_ns = stmlog_half_width_ns(lost().variance_ns2);
			held += error_ns <= half_ns && -error_ns <= half_ns;
		}
		print_message("1 in %2u: %d of %d\n", samples[i], held, runs);
		assert_in_range(held, runs * 91 / 100, runs);
	}
}

/* Half of the sampled transactions are only timed; those count like others that are not measured closely. */
TEST_WITH(sample_fixture, each_transaction_passes_once)
{
	enum { TRANSACTIONS = 20000 };
	itm_agent.has_steady_tsc = true;
	begin_with(2);
	for (int i = 0; i < TRANSACTIONS; i++) {
		bool is_chosen = --itm_self.countdown < 0 && itm_choose() != 0;
		if (!is_chosen || itm_self.sampling.is_timed)
			itm_counts_add(&itm_self.ring->counts.commits);
	}
	itm_agent.has_steady_tsc = false;
	uint64_t since = itm_counts_over(&itm_self.ring->counts) - itm_self.sampling.over;
	assert_int_equal(itm_self.sampling.passed + since, TRANSACTIONS);
}

/* ---- phases ---- */

TEST_WITH(sample_fixture, nothing_is_measured_in_off_phases_and_all_of_it_is_made_up_for)
{
	struct program program = {.random = {2}};
	itm_agent.has_counters = itm_agent.has_totals = true;
	begin_with(16);
	for (int i = 0; i < 3000000; i++)
		transact_any(&program);
	/* 0.55 us each: 20 phases; the transactions of the last one may still be owed. */
	double estimated_ns = (double)account_of(me()).estimated_committed_ns;
	assert_int_equal(program.measured_off, 0);
	assert_in_range(program.measured, 3000000 / 16 * 77 / 100, 3000000 / 16 * 83 / 100);
	assert_true(estimated_ns > 0.985 * program.committed_ns && estimated_ns < 1.015 * program.committed_ns);
}

TEST_WITH(sample_fixture, without_counters_there_are_no_off_phases)
{
	struct program program = {.random = {3}};
	begin_with(16);
	for (int i = 0; i < 500000; i++)
		transact_any(&program);
	assert_in_range(program.measured, 500000 / 16 * 97 / 100, 500000 / 16 * 103 / 100);
}

TEST_WITH(sample_fixture, few_readings_of_the_clock_are_enough_for_an_off_phase)
{
	struct program program = {.random = {4}};
	uint64_t looks = 0;
	itm_agent.has_counters = itm_agent.has_totals = true;
	begin_with(16);
	while (!itm_self.sampling.is_off)
		transact_any(&program);
	while (itm_self.sampling.is_off) {
		looks += itm_self.countdown == 0;
		transact_any(&program);
	}
	/* 20 ms; once the rate of transactions is known, the clock is read every 250 us at most. */
	assert_in_range(looks, 20, 100);
}

/* ---- auto ---- */

TEST_WITH(sample_fixture, short_transactions_are_measured_seldom_and_long_ones_always)
{
	static const struct {
		uint64_t ns;
		uint32_t min, max;
	} cases[] = {{20, 256, 256}, {130, 64, 64}, {1030, 8, 8}, {10000, 1, 1}, {1000000, 1, 1}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct program program = {.random = {5}};
		session_tear_down();
		set_up();
		begin_with(NATIVE_SAMPLE_AUTO);
		for (int k = 0; k < 300000; k++)
			transact(&program, cases[i].ns, 0);
		assert_in_range(itm_self.sampling.every, cases[i].min, cases[i].max);
		assert_true(program.measured >= 64);
	}
}

TEST_WITH(sample_fixture, what_is_measured_always_is_exact)
{
	struct program program = {.random = {6}};
	itm_agent.has_counters = itm_agent.has_totals = true;
	begin_with(NATIVE_SAMPLE_AUTO);
	for (int k = 0; k < 20000; k++)
		transact(&program, 20000, k % 7 == 0 ? 5000 : 0);
	assert_int_equal(program.measured, program.transactions);
	assert_true(lost().variance_ns2 == 0);
	assert_int_equal(account_of(me()).estimated_committed_ns, account_of(me()).committed_ns);
}

TEST_WITH(sample_fixture, it_goes_up_and_comes_back_when_transactions_change)
{
	struct program program = {.random = {7}};
	itm_agent.has_counters = itm_agent.has_totals = true;
	begin_with(NATIVE_SAMPLE_AUTO);
	for (int round = 0; round < 3; round++) {
		for (int k = 0; k < 400000; k++)
			transact(&program, 130, 0);
		assert_int_equal(itm_self.sampling.every, 64);
		for (int k = 0; k < 200000; k++)
			transact(&program, 20000, 0);
		assert_int_equal(itm_self.sampling.every, 1);
	}
	/* The estimate is of all transactions, whatever the interval was. */
	double estimated_ns = (double)account_of(me()).estimated_committed_ns;
	assert_true(estimated_ns > 0.98 * program.committed_ns && estimated_ns < 1.02 * program.committed_ns);
}

/* ---- timed transactions ---- */

TEST_WITH(sample_fixture, with_a_fixed_interval_half_of_the_sampled_are_timed)
{
	struct program program = {.random = {8}};
	itm_agent.has_steady_tsc = true;
	begin_with(10);
	for (int k = 0; k < 200000; k++)
		transact_any(&program);
	assert_in_range(program.measured, 9500, 10500);
	assert_in_range(program.timed, 9500, 10500);
	assert_in_range((uint64_t)program.timed_weight, 200000 * 95 / 100, 200000 * 105 / 100);
}

/* The first are all measured closely; later one in 16, and all others are timed. */
TEST_WITH(sample_fixture, long_transactions_are_timed_and_seldom_measured_closely)
{
	struct program program = {.random = {9}};
	itm_agent.has_steady_tsc = true;
	begin_with(NATIVE_SAMPLE_AUTO);
	for (int k = 0; k < 400; k++)
		transact(&program, 20000, k % 7 == 0 ? 5000 : 0);
	assert_int_equal(program.measured, 400);
	for (int k = 0; k < 50000; k++)
		transact(&program, 20000, k % 7 == 0 ? 5000 : 0);
	assert_int_equal(program.measured + program.timed, program.transactions);
	assert_in_range(program.measured, 50000 / 20, 50000 / 12);
	stmlog_unmeasured(itm_self.thread, program.transactions - program.measured, 0);
	double estimated_ns = (double)account_of(me()).estimated_committed_ns;
	assert_true(estimated_ns > 0.99 * program.committed_ns && estimated_ns < 1.01 * program.committed_ns);
}

/* A transaction each 100 us is the limit. What reads cost counts against the time between transactions, too. */
TEST_WITH(sample_fixture, few_transactions_are_all_measured_closely_unless_they_read_much)
{
	static const struct {
		uint64_t between_ns, reads;
		uint32_t min, max;
	} cases[] = {{80000, 0, 1, 1}, {79000, 0, 16, 16}, {80000, 400, 1, 1}, {80000, 5000, 8, 32}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct program program = {.random = {12}};
		session_tear_down();
		set_up();
		itm_agent.has_steady_tsc = true;
		begin_with(NATIVE_SAMPLE_AUTO);
		for (int k = 0; k < 20000; k++) {
			uint64_t measured = program.measured;
			transact(&program, 20000, 0);
			itm_self.sampling.reads += (program.measured - measured) * cases[i].reads;
			fake_clock_advance(cases[i].between_ns);
		}
		assert_in_range(itm_self.sampling.every * itm_self.sampling.close_in, cases[i].min, cases[i].max);
	}
}

/* A thread begins as one of so many, on two processors. */
static void begin_among(uint32_t threads)
{
	session_tear_down();
	set_up();
	itm_agent.has_steady_tsc = true;
	itm_agent.processors = 2;
	begin_with(NATIVE_SAMPLE_AUTO);
	AO_store(&itm_rings_owned, threads);
}

/* Of 64 threads on two processors each has a 32nd of one. */
TEST_WITH(sample_fixture, few_transactions_of_each_of_many_threads_are_many)
{
	for (uint32_t threads = 2; threads <= 64; threads *= 32) {
		struct program program = {.random = {12}};
		begin_among(threads);
		for (int k = 0; k < 20000; k++) {
			transact(&program, 20000, 0);
			fake_clock_advance(1000000);
		}
		itm_agent.processors = 0;
		assert_int_equal(itm_self.sampling.every * itm_self.sampling.close_in == 1, threads == 2);
	}
}

/* On two processors more than eight threads are a crowd. */
TEST_WITH(sample_fixture, a_thread_of_a_crowd_chooses_its_intervals_at_its_fourth_transaction)
{
	for (uint32_t threads = 8; threads <= 9; threads++) {
		struct program program = {.random = {13}};
		begin_among(threads);
		for (int k = 0; k < 60; k++)
			transact(&program, 200, 0);
		itm_agent.processors = 0;
		assert_in_range(program.measured, threads == 8 ? 60 : 3, threads == 8 ? 60 : 10);
	}
}

/* The time that aborts take to be looked into counts for the closely measured ones alone. */
TEST_WITH(sample_fixture, where_aborts_are_frequent_fewer_are_measured_closely)
{
	struct program program = {.random = {10}};
	itm_agent.has_steady_tsc = true;
	begin_with(NATIVE_SAMPLE_AUTO);
	itm_self.sampling.pace.first_ns = 5000;
	for (int k = 0; k < 300000; k++)
		transact(&program, 1000, 30);
	assert_int_equal(itm_self.sampling.every * itm_self.sampling.close_in, 1024);
	assert_in_range(itm_self.sampling.every, 8, 32);
	assert_true(program.timed > 8 * program.measured);
	stmlog_unmeasured(itm_self.thread, program.transactions - program.measured, 0);
	uint64_t aborted_ns = account_of(me()).estimated_aborted_ns[STMLOG_WRITE_WRITE];
	assert_true((double)aborted_ns > 0.98 * program.lost_ns && (double)aborted_ns < 1.02 * program.lost_ns);
}

static uint32_t closely_of_program(uint32_t rings)
{
	struct program program = {.random = {11}};
	itm_agent.has_steady_tsc = true;
	begin_with(NATIVE_SAMPLE_AUTO);
	AO_store(&itm_rings_owned, rings);
	for (int k = 0; k < 300000; k++)
		transact(&program, 1000, 0);
	return itm_self.sampling.every * itm_self.sampling.close_in;
}

/* Each ring is a line of another processor's cache. */
TEST_WITH(sample_fixture, among_many_threads_fewer_are_measured_closely)
{
	uint32_t among_two = closely_of_program(2);
	assert_int_equal(closely_of_program(4), among_two);
	assert_true(closely_of_program(64) > 4 * among_two);
}

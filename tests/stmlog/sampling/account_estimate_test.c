/* SPDX-License-Identifier: MIT
 * Rows that are estimated from timed transactions, against whole populations of transactions. */
#include <math.h>
#include <string.h>

#include "account.h"
#include "clock.h"
#include "fake_clock.h"
#include "fixture.h"
#include "random.h"

static struct account account;
static struct stmlog_account figures;
static struct account_spread spread;

static void setup_account(void)
{
	clock_use(fake_clock_now_ns);
	fake_clock_set(1000);
	account = (struct account){.word = 0};
	account_init(&account, 1000);
}

static void set_up(void)
{
	fixture_set_up();
	setup_account();
}

static const struct test_fixture account_fixture = {set_up, fixture_tear_down};

static void read_all(void)
{
	assert_true(account_read(&account, &figures, &spread));
}

static void read_after(uint64_t ns, uint64_t commits, uint64_t aborts)
{
	account_add_unmeasured(&account, commits, aborts);
	fake_clock_set(1000 + ns);
	read_all();
}

static void time_some(size_t count, uint32_t weight, bool has_committed, uint64_t committed_ns, uint64_t aborted_ns,
	uint64_t paused_ns)
{
	struct stmlog_timed_transaction timed = {.weight = weight,
		.has_committed = has_committed,
		.committed_ns = committed_ns,
		.aborted_ns = aborted_ns,
		.paused_ns = paused_ns};
	for (size_t i = 0; i < count; i++)
		account_add_timed(&account, &timed);
}

static uint64_t aborted_ns(void)
{
	uint64_t sum = 0;
	for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
		sum += figures.estimated_aborted_ns[c];
	return sum;
}

static uint64_t estimated_ns(void)
{
	return figures.estimated_committed_ns + aborted_ns() + figures.estimated_paused_ns +
	       figures.estimated_waiting_inevitable_ns + figures.estimated_waiting_none_ns + figures.estimated_other_ns;
}

/* ---- claims ---- */

TEST_WITH(account_fixture, without_timed_transactions_measured_rows_are_exact)
{
	account_start(&account, 1100);
	account_settle(&account, 1400, COMMITTED_SLOT, OUTSIDE_STATE);
	fake_clock_set(2000);
	read_all();
	assert_int_equal(figures.estimated_committed_ns, 300);
	for (int row = 0; row < STMLOG_ACCOUNT_ROWS; row++) {
		assert_true(spread.variance_ns2[row] <= 0);
		assert_int_equal(spread.doubt_ns[row], 0);
	}
}

/* All commits are known, so what a commit takes on average is all that chance can get wrong. */
TEST_WITH(account_fixture, equal_transactions_are_estimated_exactly)
{
	time_some(100, 10, true, 300, 50, 7);
	read_after(1000000, 1234, 0);
	assert_int_equal(figures.estimated_committed_ns, 1234 * 300);
	assert_int_equal(aborted_ns(), 1234 * 50);
	assert_int_equal(figures.estimated_paused_ns, 1234 * 7);
}

/* 3 ms in a cancelled transaction, 1 ms in each committed one. */
TEST_WITH(account_fixture, cancelled_transactions_count_to_the_time_of_each_commit)
{
	for (int i = 0; i < 20; i++) {
		time_some(1, 2, true, 1000, 0, 0);
		time_some(1, 2, false, 0, 3000, 0);
	}
	read_after(10000000, 40, 40);
	assert_int_equal(figures.estimated_committed_ns, 40 * 1000);
	assert_int_equal(aborted_ns(), 40 * 3000);
	assert_int_equal(spread.timed, 40);
	assert_int_equal(spread.timed_commits, 20);
}

TEST_WITH(account_fixture, with_no_commit_at_all_each_stands_for_its_weight)
{
	time_some(20, 5, false, 0, 100, 0);
	read_after(1000000, 0, 100);
	assert_int_equal(aborted_ns(), 20 * 5 * 100);
}

/* A measured transaction of weight 1 stands for itself alone. */
TEST_WITH(account_fixture, what_was_measured_with_weight_1_is_added_as_it_is)
{
	account_start(&account, 1000);
	account_settle(&account, 6000, COMMITTED_SLOT, OUTSIDE_STATE);
	time_some(50, 4, true, 10, 0, 0);
	read_after(1000000, 200, 0);
	assert_int_equal(figures.estimated_committed_ns, 5000 + 200 * 10);
}

/* A transaction that was measured with a weight belongs to those that the timed ones stand for. */
TEST_WITH(account_fixture, what_was_measured_with_a_weight_is_not_added_twice)
{
	account.sampled.extra_weight = 9;
	account_start(&account, 1000);
	account_settle(&account, 1700, COMMITTED_SLOT, OUTSIDE_STATE);
	time_some(50, 10, true, 100, 0, 0);
	read_after(1000000, 499, 0);
	assert_int_equal(figures.estimated_committed_ns, 500 * 100);
}

/* 1,000 transactions of 900 ns do not fit into 500 us. */
TEST_WITH(account_fixture, rows_that_do_not_fit_are_cut_in_proportion_and_doubted)
{
	time_some(100, 10, true, 600, 300, 0);
	read_after(500000, 1000, 0);
	assert_true(estimated_ns() <= 500000);
	assert_in_range(figures.estimated_committed_ns, 333330, 333334);
	assert_in_range(aborted_ns(), 166660, 166667);
	assert_true(spread.doubt_ns[STMLOG_ACCOUNT_COMMITTED] >= 266666);
	assert_true(spread.doubt_ns[STMLOG_ACCOUNT_ABORTED] >= 133333);
}

TEST_WITH(account_fixture, from_few_timed_transactions_nothing_is_certain)
{
	time_some(9, 10, true, 100, 0, 0);
	read_after(1000000, 90, 0);
	assert_true(spread.doubt_ns[STMLOG_ACCOUNT_COMMITTED] >= 1000000);
	assert_true(spread.doubt_ns[STMLOG_ACCOUNT_OUTSIDE] >= 1000000);
}

static void time_failed(size_t count, uint64_t failed, uint64_t aborted_ns)
{
	struct stmlog_timed_transaction timed = {
		.weight = 10, .has_committed = true, .committed_ns = 100, .aborted_ns = aborted_ns, .failed = failed};
	for (size_t i = 0; i < count; i++)
		account_add_timed(&account, &timed);
}

/* Of 1,000 transactions 100 are timed and fail once each; all have failed 2,000 times. */
TEST_WITH(account_fixture, time_aborted_is_that_of_the_failed_attempts_which_are_known)
{
	time_failed(100, 1, 50);
	account_add_timed(
		&account, &(struct stmlog_timed_transaction){.weight = 1, .is_apart = true, .aborted_ns = 70});
	read_after(1000000, 1000, 2000);
	assert_int_equal(figures.estimated_committed_ns, 1000 * 100);
	assert_int_equal(aborted_ns(), 2000 * 50 + 70);
	assert_true(spread.doubt_ns[STMLOG_ACCOUNT_ABORTED] < 50000);
}

/* A time stamp may be read some nanoseconds early or late: that is more of a short transaction than of a long one. */
TEST_WITH(account_fixture, the_time_committed_is_in_doubt_by_its_commits)
{
	uint64_t doubts[2];
	for (uint64_t longer = 0; longer < 2; longer++) {
		setup_account();
		time_some(100, 10, true, longer ? 10000 : 100, 0, 0);
		read_after(1000000000, 1000, 0);
		doubts[longer] = spread.doubt_ns[STMLOG_ACCOUNT_COMMITTED] - 1000000000 / 500;
	}
	assert_int_equal(doubts[0], 1000 * 100 / 50 + 1000 * 30);
	assert_int_equal(doubts[1], 1000 * 10000 / 50 + 1000 * 30);
}

/* Of 1,100 transactions 100 are of a rare kind and are all timed: they commit slowly, fail twice and wait. */
TEST_WITH(account_fixture, transactions_apart_stand_for_no_others)
{
	time_failed(100, 1, 50);
	struct stmlog_timed_transaction rare = {.weight = 1,
		.is_apart = true,
		.has_committed = true,
		.committed_ns = 900,
		.aborted_ns = 1000,
		.waiting_ns = 500,
		.failed = 2};
	for (size_t i = 0; i < 100; i++)
		account_add_timed(&account, &rare);
	read_after(2000000, 1100, 2000);
	assert_int_equal(figures.estimated_committed_ns, 1000 * 100 + 100 * 900);
	assert_int_equal(aborted_ns(), 1800 * 50 + 100 * 1000);
	assert_int_equal(figures.estimated_waiting_inevitable_ns + figures.estimated_waiting_none_ns, 100 * 500);
	assert_true(spread.variance_ns2[STMLOG_ACCOUNT_WAITING] < 1e9);
}

/* Nothing is known then of the others. */
TEST_WITH(account_fixture, with_transactions_apart_alone_all_is_in_doubt)
{
	struct stmlog_timed_transaction rare = {
		.weight = 1, .is_apart = true, .has_committed = true, .committed_ns = 900};
	for (size_t i = 0; i < 100; i++)
		account_add_timed(&account, &rare);
	read_after(2000000, 1100, 0);
	assert_int_equal(figures.estimated_committed_ns, 100 * 900);
	assert_true(spread.doubt_ns[STMLOG_ACCOUNT_COMMITTED] >= 2000000);
}

TEST_WITH(account_fixture, from_few_failed_attempts_their_time_is_in_doubt)
{
	time_failed(9, 1, 50);
	time_failed(91, 0, 0);
	read_after(1000000, 1000, 2000);
	assert_int_equal(aborted_ns(), 90 * 50);
	assert_true(spread.doubt_ns[STMLOG_ACCOUNT_ABORTED] >= 2000 * 100);
}

/* Chance is left with the one that may have been missed; by commits it would be 1.8e8. */
TEST_WITH(account_fixture, equal_failed_attempts_have_little_variance)
{
	for (size_t failed = 1; failed <= 10; failed++)
		time_failed(10, failed, failed * 50);
	read_after(1000000, 1000, 5500);
	assert_int_equal(aborted_ns(), 5500 * 50);
	assert_true(spread.variance_ns2[STMLOG_ACCOUNT_ABORTED] < 2e7);
}

/* What no timed transaction has lost may still have been lost. */
TEST_WITH(account_fixture, an_empty_row_is_not_certainly_empty)
{
	time_some(100, 10, true, 100, 0, 0);
	read_after(1000000, 1000, 0);
	assert_int_equal(aborted_ns(), 0);
	assert_true(spread.variance_ns2[STMLOG_ACCOUNT_ABORTED] > 0);
}

/* Random accounts, and random timed transactions, some of which are far too long to be true. */
TEST_WITH(no_leaks, estimates_add_up_whatever_was_timed)
{
	struct random random = {7};
	for (int round = 0; round < 20000; round++) {
		setup_account();
		uint64_t now_ns = 1000;
		for (uint32_t i = random_below(&random, 6); i > 0; i--) {
			account.sampled.extra_weight = random_below(&random, 3) * random_below(&random, 100);
			account_start(&account, now_ns += random_below(&random, 1000));
			if (random_below(&random, 4) == 0)
				account_deschedule(&account, now_ns += random_below(&random, 1000),
					random_below(&random, 500), random_below(&random, 500));
			account_settle(&account, now_ns += random_below(&random, 1000),
				random_below(&random, 2) == 0
					? COMMITTED_SLOT
					: ABORTED_SLOT + random_below(&random, STMLOG_CONTENTIONS),
				OUTSIDE_STATE);
		}
		for (uint32_t i = random_below(&random, 30); i > 0; i--)
			time_some(1, 1 + random_below(&random, 100), random_below(&random, 3) != 0,
				random_below(&random, 1000), random_below(&random, 1000),
				random_below(&random, 2) * random_below(&random, 1000000));
		account_add_unmeasured(&account, random_below(&random, 1000), random_below(&random, 1000));
		fake_clock_set(now_ns + random_below(&random, 100000));
		read_all();
		assert_true(estimated_ns() + figures.open_ns + figures.descheduled_ns <= figures.attached_ns);
		assert_true(figures.estimated_committed_ns >= figures.committed_ns);
		assert_true(figures.estimated_paused_ns >= figures.paused_ns);
		for (unsigned c = 0; c < STMLOG_CONTENTIONS; c++)
			assert_true(figures.estimated_aborted_ns[c] >= figures.aborted_ns[c]);
		for (int row = 0; row < STMLOG_ACCOUNT_ROWS; row++)
			assert_true(spread.variance_ns2[row] >= 0 && isfinite(spread.variance_ns2[row]));
	}
}

/* ---- coverage ---- */

enum { POPULATION = 20000, EVERY = 20, RUNS = 400 };

struct truth {
	double committed, aborted, paused;
};

/* One transaction in EVERY is timed, at random. One in 4 aborts, one in 100 pauses for long. */
static struct truth run(struct random *random)
{
	struct truth truth = {0, 0, 0};
	setup_account();
	for (int i = 0; i < POPULATION; i++) {
		uint64_t committed = 200 + random_below(random, 200), aborted = 0, paused = 0;
		if (random_below(random, 4) == 0)
			aborted = random_below(random, 1000);
		if (random_below(random, 100) == 0)
			paused = random_below(random, 20000);
		truth.committed += (double)committed;
		truth.aborted += (double)aborted;
		truth.paused += (double)paused;
		if (random_below(random, EVERY) == 0)
			time_some(1, EVERY, true, committed, aborted, paused);
	}
	read_after(100000000, POPULATION, 0);
	return truth;
}

/* By chance alone: without the doubt. */
static bool holds(enum stmlog_account_row row, uint64_t estimate_ns, double truth_ns)
{
	return fabs((double)estimate_ns - truth_ns) <= stmlog_half_width_ns(spread.variance_ns2[row]);
}

TEST_WITH(no_leaks, intervals_hold_the_truth_in_nine_runs_of_ten)
{
	struct random random = {11};
	int held[3] = {0, 0, 0};
	for (int i = 0; i < RUNS; i++) {
		struct truth truth = run(&random);
		held[0] += holds(STMLOG_ACCOUNT_COMMITTED, figures.estimated_committed_ns, truth.committed);
		held[1] += holds(STMLOG_ACCOUNT_ABORTED, aborted_ns(), truth.aborted);
		held[2] += holds(STMLOG_ACCOUNT_PAUSED, figures.estimated_paused_ns, truth.paused);
	}
	for (int i = 0; i < 3; i++)
		assert_in_range(held[i], RUNS * 90 / 100, RUNS);
	/* The time of each commit varies little, so the interval is narrow. */
	assert_true(stmlog_half_width_ns(spread.variance_ns2[STMLOG_ACCOUNT_COMMITTED]) <
		    0.03 * (double)figures.estimated_committed_ns);
}

/* ---- aborts of which no time was measured ---- */

static bool count_aborts(void *aborted_ns, struct stmlog_unmeasured_counts *counts)
{
	*counts =
		(struct stmlog_unmeasured_counts){.commits = 500, .aborts = 40, .aborted_ns = *(uint64_t *)aborted_ns};
	return true;
}

/* 20 commits of 100 ns each, of which each stands for 10; and one transaction that stands for itself, with an abort of
 * 300 ns. */
static void measure_with_weights(void)
{
	setup_account();
	uint64_t now_ns = 1000;
	account.sampled.extra_weight = 9;
	for (int i = 0; i < 21; i++) {
		account_start(&account, now_ns);
		account_settle(&account, now_ns += 100, COMMITTED_SLOT, OUTSIDE_STATE);
	}
	account.sampled.extra_weight = 0;
	account_start(&account, now_ns);
	account_settle(&account, now_ns + 300, ABORTED_SLOT, ABORTED_STATE);
	fake_clock_set(1000 + 1000000);
}

TEST_WITH(no_leaks, an_abort_without_a_measured_loss_may_have_taken_as_long_as_others)
{
	measure_with_weights();
	account_add_unmeasured(&account, 500, 40);
	read_all();
	assert_int_equal(aborted_ns(), 300);
	assert_int_equal(spread.doubt_ns[STMLOG_ACCOUNT_ABORTED], 40 * 300);
	assert_int_equal(spread.doubt_ns[STMLOG_ACCOUNT_OUTSIDE], 40 * 300);
}

TEST_WITH(no_leaks, aborts_for_which_measured_ones_stand_are_in_no_doubt)
{
	measure_with_weights();
	account.sampled.extra_weight = 39;
	account_start(&account, 6000);
	account_settle(&account, 6200, ABORTED_SLOT, ABORTED_STATE);
	account_add_unmeasured(&account, 500, 39);
	read_all();
	assert_int_equal(aborted_ns(), 300 + 40 * 200);
	assert_int_equal(spread.doubt_ns[STMLOG_ACCOUNT_ABORTED], 0);
}

/* The sample has found none of them. */
TEST_WITH(no_leaks, the_runtime_knows_how_long_unmeasured_aborts_took)
{
	uint64_t known_ns = 70000;
	measure_with_weights();
	account_read_unmeasured_by(&account, count_aborts, &known_ns);
	read_all();
	assert_int_equal(aborted_ns(), 300 + 70000);
	assert_int_equal(spread.doubt_ns[STMLOG_ACCOUNT_ABORTED], 70000 / 4);
}

/* 100 aborts of 200 ns, of which each stands for itself and another one. */
static void measure_aborts_with_weights(void)
{
	uint64_t now_ns = 6000;
	measure_with_weights();
	account.sampled.extra_weight = 1;
	for (int i = 0; i < 100; i++) {
		account_start(&account, now_ns);
		account_settle(&account, now_ns += 200, ABORTED_SLOT, ABORTED_STATE);
	}
}

TEST_WITH(no_leaks, a_large_sample_that_agrees_is_more_exact)
{
	uint64_t known_ns = 24000;
	measure_aborts_with_weights();
	account_read_unmeasured_by(&account, count_aborts, &known_ns);
	read_all();
	assert_int_equal(aborted_ns(), 300 + 2 * 100 * 200);
	assert_int_equal(spread.doubt_ns[STMLOG_ACCOUNT_ABORTED], 0);
}

TEST_WITH(no_leaks, a_large_sample_that_says_more_is_in_the_interval)
{
	uint64_t known_ns = 1000;
	measure_aborts_with_weights();
	account_read_unmeasured_by(&account, count_aborts, &known_ns);
	read_all();
	assert_int_equal(aborted_ns(), 300 + 100 * 200 + 1000);
	assert_int_equal(spread.doubt_ns[STMLOG_ACCOUNT_ABORTED], 19000);
}

static void restore_clock(void)
{
	clock_use(NULL);
}

static const struct test_fixture clock_fixture = {NULL, restore_clock};

GROUP_WITH(clock_fixture);

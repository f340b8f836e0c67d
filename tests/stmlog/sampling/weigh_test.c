/* SPDX-License-Identifier: MIT
 * Estimates of a run of which only a part was measured, against the run itself. */
#include <math.h>

#include <valgrind/valgrind.h>

#include "losses.h"
#include "misuse.h"
#include "random.h"
#include "session_fixture.h"
#include "test.h"

enum { KEYS = 12, CAUSES = 2, MAX_ABORTS = 6, MAX_NS = 500 + MAX_ABORTS * 1000 };

static void assert_about(double found, double expected)
{
	if (fabs(found - expected) > 1e-9 * (fabs(found) + fabs(expected)))
		fail_msg("found %.17g, expected %.17g", found, expected);
}

/* Key k loses by cause k % CAUSES, at a place of its own. */
static struct stmlog_loss loss_of(struct tb_stack *stack, unsigned key)
{
	struct stmlog_loss loss =
		stmlog_loss_make(STMLOG_SELF_ABORT, key % CAUSES == 0 ? STMLOG_WRITE_WRITE : STMLOG_WRITE_READ, NULL);
	struct tb_site site = tb_site_make(77, key);
	loss.local = tb_build(stack, &site, 1, TB_EMPTY);
	loss.remote = TB_EMPTY;
	return loss;
}

static void abort_once(struct stmlog_thread *thread, unsigned key, uint64_t ns)
{
	struct tb_stack *stack = stmlog_thread_stack(thread);
	struct stmlog_loss loss = loss_of(stack, key);
	fake_clock_advance(ns);
	stmlog_abort(thread, &loss);
	stmlog_retry(thread);
	tb_unref(stack, loss.local);
}

/* ---- the model: each transaction's losses, squared when it is over ---- */

struct sums {
	double estimated, variance;
};

struct model {
	uint64_t key_ns[KEYS]; /* of the transaction under way */
	struct sums key[KEYS], cause[CAUSES], all;
	double committed, aborted[CAUSES];
};

static void model_add(struct sums *sums, double weight, uint64_t ns)
{
	sums->estimated += weight * (double)ns;
	sums->variance += weight * (weight - 1) * (double)ns * (double)ns;
}

static void model_end(struct model *model, double weight)
{
	uint64_t all_ns = 0, cause_ns[CAUSES] = {0};
	for (unsigned k = 0; k < KEYS; k++) {
		all_ns += model->key_ns[k];
		cause_ns[k % CAUSES] += model->key_ns[k];
		model_add(&model->key[k], weight, model->key_ns[k]);
		model->key_ns[k] = 0;
	}
	for (unsigned c = 0; c < CAUSES; c++) {
		model_add(&model->cause[c], weight, cause_ns[c]);
		model->aborted[c] += weight * (double)cause_ns[c];
	}
	model_add(&model->all, weight, all_ns);
}

static void transact(struct model *model, struct random *random, uint32_t weight)
{
	/* Few keys in one transaction: of those that do not fit the pending groups variances are too low. */
	unsigned first = random_below(random, KEYS);
	uint64_t committed_ns = random_below(random, 500);
	stmlog_set_weight(me(), weight);
	stmlog_start(me());
	for (unsigned n = random_below(random, MAX_ABORTS + 1); n > 0; n--) {
		unsigned key = (first + random_below(random, 3)) % KEYS;
		uint64_t ns = random_below(random, 1000);
		abort_once(me(), key, ns);
		model->key_ns[key] += ns;
	}
	fake_clock_advance(committed_ns);
	stmlog_commit(me());
	model->committed += weight * (double)committed_ns;
	fake_clock_advance(MAX_NS * (weight - 1)); /* the others, which are not measured */
	model_end(model, weight);
}

static void expect_entries(const struct model *model)
{
	struct stmlog_cursor cursor = stmlog_timelog_cursor(fixture_log);
	struct stmlog_entry entry;
	while (stmlog_cursor_next(&cursor, &entry) == STMLOG_NEXT_ENTRY) {
		const struct sums *sums = &model->key[tb_frame_site(entry.local).position];
		assert_about(entry.estimated_ns, sums->estimated);
		assert_about(entry.variance_ns2, sums->variance);
		assert_true(entry.estimated_ns >= (double)entry.lost_ns);
	}
}

static void expect_totals(const struct model *model)
{
	struct stmlog_totals totals;
	struct stmlog_account account;
	stmlog_timelog_totals(fixture_log, &totals);
	stmlog_account_read(stmlog_thread_self(), &account);
	assert_about((double)account.estimated_committed_ns, model->committed);
	assert_about(totals.variance_ns2, model->all.variance);
	for (unsigned c = 0; c < CAUSES; c++) {
		assert_about(totals.by_cause[STMLOG_SELF_ABORT][c].estimated_ns, model->cause[c].estimated);
		assert_about(totals.by_cause[STMLOG_SELF_ABORT][c].variance_ns2, model->cause[c].variance);
		assert_about((double)account.estimated_aborted_ns[c], model->aborted[c]);
	}
	assert_no_residual(stmlog_thread_self());
	assert_conserved(fixture_log);
}

TEST_WITH(session_fixture, any_weights_give_what_a_model_gives)
{
	struct model model = {.committed = 0};
	struct random random = {21};
	for (int i = 0; i < 5000; i++) {
		transact(&model, &random, 1 + random_below(&random, 64));
		if (i % 500 == 0)
			expect_entries(&model);
	}
	expect_entries(&model);
	expect_totals(&model);
}

TEST_WITH(session_fixture, weights_of_1_give_what_was_measured)
{
	struct model model = {.committed = 0};
	struct random random = {22};
	struct stmlog_account account;
	struct stmlog_totals totals;
	for (int i = 0; i < 1000; i++)
		transact(&model, &random, 1);
	stmlog_account_read(stmlog_thread_self(), &account);
	assert_int_equal(account.estimated_committed_ns, account.committed_ns);
	assert_memory_equal(account.estimated_aborted_ns, account.aborted_ns, sizeof account.aborted_ns);
	stmlog_timelog_totals(fixture_log, &totals);
	assert_true(totals.variance_ns2 == 0);
	for (unsigned rank = 0; rank < KEYS; rank++) {
		struct stmlog_entry entry = entry_at(fixture_log, rank);
		assert_true(entry.estimated_ns == (double)entry.lost_ns);
		assert_true(entry.variance_ns2 == 0);
	}
	expect_totals(&model);
}

TEST_WITH(session_fixture, what_is_evicted_keeps_its_estimate)
{
	OWNED(stmlog_timelog_destroy) struct stmlog_timelog *small = stmlog_timelog_create(3);
	struct stmlog_totals totals;
	struct model model = {.committed = 0};
	struct random random = {23};
	stmlog_timelog_activate(small);
	for (int i = 0; i < 2000; i++)
		transact(&model, &random, 1 + random_below(&random, 8));
	stmlog_timelog_totals(small, &totals);
	double estimated = totals.evicted.estimated_ns, variance = totals.evicted.variance_ns2;
	double expected_variance = 0;
	for (size_t rank = 0; rank < stmlog_timelog_len(small); rank++) {
		estimated += entry_at(small, rank).estimated_ns;
		variance += entry_at(small, rank).variance_ns2;
	}
	for (unsigned k = 0; k < KEYS; k++)
		expected_variance += model.key[k].variance;
	assert_true(totals.evicted.count > 0);
	assert_about(estimated, model.all.estimated);
	assert_about(variance, expected_variance);
	assert_true(variance < totals.variance_ns2);
}

TEST_WITH(session_fixture, pauses_and_waits_are_weighed_too)
{
	struct stmlog_loss pause = stmlog_loss_make(STMLOG_PAUSE, STMLOG_WRITE_WRITE, NULL);
	struct stmlog_loss wait = stmlog_loss_make(STMLOG_WAIT, STMLOG_INEVITABLE, NULL);
	struct stmlog_account account;
	stmlog_set_weight(me(), 10);
	stmlog_wait_begin(me(), &wait);
	fake_clock_advance(30);
	stmlog_wait_end(me());
	wait_for_segment(me());
	fake_clock_advance(5);
	stmlog_wait_end(me());
	stmlog_start(me());
	stmlog_wait_begin(me(), &pause);
	fake_clock_advance(20);
	stmlog_wait_end(me());
	stmlog_wait_begin(me(), NULL);
	fake_clock_advance(7);
	stmlog_wait_end(me());
	stmlog_commit(me());
	fake_clock_advance(10000);
	stmlog_account_read(me(), &account);
	assert_int_equal(account.estimated_paused_ns, 200);
	assert_int_equal(account.estimated_waiting_inevitable_ns, 300);
	assert_int_equal(account.estimated_waiting_none_ns, 50);
	assert_int_equal(account.estimated_other_ns, 70);
	assert_int_equal(account.paused_ns, 20);
	assert_no_residual(me());
	assert_about(entry_at(fixture_log, 0).estimated_ns, 300);
	assert_about(entry_at(fixture_log, 0).variance_ns2, 90.0 * 30 * 30);
}

/* What a profiler does for a measured transaction it does for no other. */
TEST_WITH(session_fixture, time_between_failure_and_abort_is_not_weighed)
{
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, NULL);
	struct stmlog_account account;
	stmlog_set_weight(me(), 10);
	stmlog_start(me());
	fake_clock_advance(30);
	stmlog_failed(me());
	fake_clock_advance(400);
	stmlog_abort(me(), &loss);
	fake_clock_advance(10000);
	stmlog_account_read(me(), &account);
	assert_int_equal(account.estimated_aborted_ns[STMLOG_WRITE_WRITE], 300);
	assert_int_equal(account.other_ns, 400);
	assert_int_equal(account.estimated_other_ns, 400);
	assert_no_residual(me());
}

TEST_WITH(session_fixture, a_weight_that_comes_at_the_wrong_time_is_a_mistake)
{
	uint64_t before = misuse_total();
	stmlog_set_weight(me(), 0);
	stmlog_start(me());
	stmlog_set_weight(me(), 5);
	fake_clock_advance(10);
	stmlog_commit(me());
	stmlog_set_weight(NULL, 0);
	assert_int_equal(misuse_total(), before + 2);
	struct stmlog_account account;
	stmlog_account_read(me(), &account);
	assert_int_equal(account.estimated_committed_ns, 10);
}

TEST_WITH(session_fixture, a_start_may_bring_its_time_along)
{
	struct stmlog_account account;
	uint64_t now_ns = stmlog_now_ns();
	fake_clock_advance(4);
	stmlog_start_at(me(), now_ns, tb_site_make(0, 0), TB_UNKNOWN);
	fake_clock_advance(6);
	stmlog_commit(me());
	stmlog_start_at(
		me(), now_ns, tb_site_make(0, 0), TB_UNKNOWN); /* long past: begins when the one before has ended */
	fake_clock_advance(1);
	stmlog_commit(me());
	stmlog_account_read(me(), &account);
	assert_int_equal(account.committed_ns, 11);
	assert_no_residual(me());
	stmlog_start_at(NULL, now_ns, tb_site_make(0, 0), TB_UNKNOWN);
}

/* ---- coverage: how often an interval holds the truth ---- */

enum { TRANSACTIONS = 8000 };

/* Under valgrind only the steps count. */
static int runs(void)
{
	return RUNNING_ON_VALGRIND ? 20 : 1000;
}

struct estimate {
	double ns, half_ns;
};

struct run {
	double truth[KEYS], truth_all;
};

static bool holds(struct estimate estimate, double truth)
{
	return fabs(estimate.ns - truth) <= estimate.half_ns;
}

/* Eight in ten transactions abort, some of them several times, and few for very long. Those that are not measured
 * are known to the model alone. */
static void transact_sampled(struct run *run, struct random *random, uint32_t every)
{
	unsigned aborts = random_below(random, 10) < 8 ? 1 + random_below(random, 4) : 0;
	bool is_measured = random_below(random, every) == 0;
	if (is_measured)
		stmlog_start(me());
	while (aborts-- > 0) {
		unsigned key = random_below(random, 2);
		uint64_t ns = 50 + random_below(random, 200);
		ns *= random_below(random, 20) == 0 ? 10 : 1;
		run->truth[key] += (double)ns;
		run->truth_all += (double)ns;
		if (is_measured)
			abort_once(me(), key, ns);
	}
	if (is_measured)
		stmlog_commit(me());
}

static struct estimate estimate_of_key(unsigned key)
{
	struct stmlog_cursor cursor = stmlog_timelog_cursor(fixture_log);
	struct stmlog_entry entry;
	while (stmlog_cursor_next(&cursor, &entry) == STMLOG_NEXT_ENTRY)
		if (tb_frame_site(entry.local).position == key)
			return (struct estimate){entry.estimated_ns, stmlog_half_width_ns(entry.variance_ns2)};
	return (struct estimate){0, 0};
}

static struct estimate estimate_of_all(void)
{
	struct stmlog_totals totals;
	stmlog_timelog_totals(fixture_log, &totals);
	double estimated_ns = 0;
	for (unsigned c = 0; c < CAUSES; c++)
		estimated_ns += totals.by_cause[STMLOG_SELF_ABORT][c].estimated_ns;
	return (struct estimate){estimated_ns, stmlog_half_width_ns(totals.variance_ns2)};
}

/* In how many of the runs the intervals hold the truth: of all, of one key. */
static void count_held(uint32_t every, struct random *random, int *held_all, int *held_key, double *mean)
{
	stmlog_set_weight(stmlog_thread_self(), every);
	for (int i = 0; i < runs(); i++) {
		struct run run = {.truth_all = 0};
		stmlog_timelog_clear(fixture_log);
		for (int k = 0; k < TRANSACTIONS; k++)
			transact_sampled(&run, random, every);
		struct estimate all = estimate_of_all();
		*held_all += holds(all, run.truth_all);
		*held_key += holds(estimate_of_key(1), run.truth[1]);
		*mean += all.ns / run.truth_all / runs();
	}
}

/* The standard deviation of the count is 7; a hundred of a skewed sum, which is what 1 in 64 measures, take some
 * per cent from a normal interval. */
TEST_WITH(session_fixture, intervals_hold_the_truth_in_95_of_100_runs)
{
	static const uint32_t samples[] = {4, 16, 64};
	struct random random = {31};
	for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
		int all = 0, key = 0;
		double mean = 0;
		count_held(samples[i], &random, &all, &key, &mean);
		print_message("1 in %2u: %d and %d of %d, mean %.3f\n", samples[i], all, key, runs(), mean);
		if (RUNNING_ON_VALGRIND)
			continue;
		assert_in_range(all, 920, 975);
		assert_in_range(key, 900, 975);
		assert_true(fabs(mean - 1) < 0.03);
	}
}

TEST(halves_and_joints_are_roots_and_squares)
{
	static const double squares[] = {1e-6, 0.25, 1, 2, 1e6, 12345.678, 1e30};
	for (size_t i = 0; i < sizeof squares / sizeof squares[0]; i++) {
		double half = stmlog_half_width_ns(squares[i]);
		assert_about(half * half, 1.96 * 1.96 * squares[i]);
	}
	assert_true(stmlog_half_width_ns(0) == 0);
	assert_true(stmlog_half_width_ns(-1) == 0);
	assert_true(stmlog_half_width_ns(NAN) == 0);
	assert_about(stmlog_joint_variance(9, 16), 49);
	assert_about(stmlog_joint_variance(0, 16), 16);
}

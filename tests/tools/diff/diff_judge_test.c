/* SPDX-License-Identifier: MIT
 * Comparisons of random runs, in most of which nothing has changed: how often verdicts are wrong, and how often a
 * change is found. */
#include "fixture.h"

#include <math.h>
#include <stdlib.h>

#include <valgrind/valgrind.h>

#include "diff.h"
#include "memory.h"
#include "random.h"

enum { RUNS = 10, KEYS = 24 };

#define COMPARISONS (RUNNING_ON_VALGRIND ? 40u : 200u)

/* Of 200 comparisons, 10 may be false alarms; with a chance of 1 in 1000, more than 20 are. */
#define MAX_FALSE (COMPARISONS / 10)

static const struct diff_options sharp = {.metric = DIFF_LOST, .threshold = 0, .alpha = 0.05};

/* From a distribution that is close to the normal one. */
static double normal(struct random *random)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += random_below(random, 1 << 20) / (double)(1 << 20);
	return sum;
}

/* Half of the loss is that of the first key, and so on. A run's contention makes all keys larger or smaller at once;
 * besides, each key varies by itself, and small ones are missing in some runs. */
static double loss_of(struct random *random, double contention, size_t key)
{
	double size = ldexp(1000, -(int)(key < 12 ? key : 12));
	if (random_below(random, KEYS) < key / 2)
		return 0;
	return size * exp(contention + 0.3 * normal(random));
}

static void set_run(struct diff *diff, struct random *random, int side, size_t run, double times)
{
	double contention = 0.2 * normal(random);
	diff->whole.values[side][run] = 0;
	for (size_t key = 0; key < KEYS; key++) {
		double loss = loss_of(random, contention, key) * (key == 0 && side == DIFF_NEW ? times : 1);
		diff->rows[key].values[side][run] = loss;
		diff->whole.values[side][run] += loss;
	}
}

static void make_row(struct diff_row *row)
{
	row->values[DIFF_OLD] = memory_zeroed(RUNS, sizeof(double));
	row->values[DIFF_NEW] = memory_zeroed(RUNS, sizeof(double));
}

/* A comparison in which the first key of the new side is so many times as large. */
static struct diff compared(struct random *random, double times)
{
	static const size_t runs[2] = {RUNS, RUNS};
	struct diff diff = diff_init(&sharp, runs);
	diff.rows = memory_zeroed(KEYS, sizeof *diff.rows);
	diff.len = KEYS;
	make_row(&diff.whole);
	for (size_t key = 0; key < KEYS; key++)
		make_row(&diff.rows[key]);
	for (int side = 0; side < 2; side++) {
		diff.sides[side].len = RUNS;
		for (size_t run = 0; run < RUNS; run++)
			set_run(&diff, random, side, run, times);
	}
	diff_row_fill(&diff, &diff.whole);
	for (size_t key = 0; key < KEYS; key++)
		diff_row_fill(&diff, &diff.rows[key]);
	diff_judge(&diff);
	return diff;
}

static bool has_verdict(const struct diff *diff, size_t first)
{
	for (size_t key = first; key < KEYS; key++) {
		if (diff->rows[key].verdict != DIFF_UNCLEAR)
			return true;
	}
	return false;
}

TEST(equal_programs_have_few_false_alarms)
{
	struct random random = {1};
	unsigned of_keys = 0, of_whole = 0;
	for (size_t i = 0; i < COMPARISONS; i++) {
		OWNED(diff_fini) struct diff diff = compared(&random, 1);
		of_keys += has_verdict(&diff, 0);
		of_whole += diff.whole.verdict != DIFF_UNCLEAR;
	}
	print_message("equal programs: false alarms of keys %u, of the whole %u, in %u comparisons\n", of_keys,
		of_whole, COMPARISONS);
	assert_in_range(of_keys, 0, MAX_FALSE);
	assert_in_range(of_whole, 0, MAX_FALSE);
}

/* The weights depend on the key that has changed, too. */
TEST(keys_beside_one_that_has_changed_have_few_false_alarms)
{
	struct random random = {2};
	unsigned alarms = 0;
	for (size_t i = 0; i < COMPARISONS; i++) {
		OWNED(diff_fini) struct diff diff = compared(&random, 1.5);
		alarms += has_verdict(&diff, 1);
	}
	print_message("beside a key that has changed: false alarms %u in %u comparisons\n", alarms, COMPARISONS);
	assert_in_range(alarms, 0, MAX_FALSE);
}

static bool is_found_with_equal_weights(const struct diff *diff)
{
	double p[KEYS], weights[KEYS], adjusted[KEYS];
	for (size_t key = 0; key < KEYS; key++) {
		p[key] = diff->rows[key].u.p;
		weights[key] = 1;
	}
	statistics_holm(p, weights, adjusted, KEYS);
	return adjusted[0] <= sharp.alpha;
}

TEST(small_keys_do_not_hide_the_change_of_a_large_one)
{
	struct random random = {3};
	unsigned found = 0, equally = 0;
	for (size_t i = 0; i < COMPARISONS; i++) {
		OWNED(diff_fini) struct diff diff = compared(&random, 1.5);
		found += diff.rows[0].verdict == DIFF_WORSE;
		equally += is_found_with_equal_weights(&diff);
	}
	print_message("the changed key is found in %u, with equal weights in %u of %u comparisons\n", found, equally,
		COMPARISONS);
	assert_true(found > 2 * equally);
}

TEST(weights_are_shares_of_the_loss_of_both_sides)
{
	struct random random = {4};
	OWNED(diff_fini) struct diff diff = compared(&random, 1);
	double sum = 0;
	for (size_t key = 0; key < KEYS; key++)
		sum += diff.rows[key].weight;
	assert_true(fabs(sum - 1) < 1e-9);
	assert_true(fabs(diff.rows[0].weight - 0.5) < 0.1 && fabs(diff.rows[1].weight - 0.25) < 0.1);
}

/* The sides of a key that is too small are as far apart as they can be. Three keys have each less than 0.02 % of the
 * sum. */
/* A damaged file may have any estimate. */
TEST(a_key_that_is_nothing_beside_another_one_has_a_weight)
{
	static const size_t runs[2] = {RUNS, RUNS};
	OWNED(diff_fini) struct diff diff = diff_init(&sharp, runs);
	diff.rows = memory_zeroed(2, sizeof *diff.rows);
	diff.len = 2;
	for (int side = 0; side < 2; side++)
		diff.sides[side].len = RUNS;
	make_row(&diff.whole);
	make_row(&diff.rows[0]);
	make_row(&diff.rows[1]);
	diff.rows[0].values[DIFF_OLD][0] = diff.whole.values[DIFF_OLD][0] = 0x1p64;
	diff.rows[1].values[DIFF_NEW][0] = 1e-310;
	diff_judge(&diff);
	assert_true(diff.rows[1].weight > 0);
	assert_true(diff.rows[0].weight > 0.99);
}

TEST(keys_too_small_to_be_told_are_counted)
{
	static const size_t runs[2] = {RUNS, RUNS};
	OWNED(diff_fini) struct diff diff = diff_init(&sharp, runs);
	diff.rows = memory_zeroed(4, sizeof *diff.rows);
	diff.len = 4;
	diff.sides[DIFF_OLD].len = diff.sides[DIFF_NEW].len = RUNS;
	make_row(&diff.whole);
	for (size_t key = 0; key < 4; key++) {
		make_row(&diff.rows[key]);
		for (size_t run = 0; run < RUNS; run++) {
			diff.rows[key].values[DIFF_OLD][run] = key == 0 ? 10000 : 1;
			diff.rows[key].values[DIFF_NEW][run] = key == 0 ? 10000 : 2;
		}
		diff_row_fill(&diff, &diff.rows[key]);
	}
	diff_judge(&diff);
	assert_int_equal(diff.too_small, 3);
	assert_true(fabs(diff.min_weight - 2 / 184756.0 / 0.05) < 1e-9);
	for (size_t key = 0; key < 4; key++)
		assert_int_equal(diff.rows[key].verdict, DIFF_UNCLEAR);
}

/* SPDX-License-Identifier: MIT */
#include <float.h>

#include "estimate.h"
#include "random.h"
#include "test.h"

static const struct estimate_error unknown = {-1, 0};

static struct estimate_error chance(double deviation_ns)
{
	return (struct estimate_error){deviation_ns * deviation_ns, 0};
}

static struct estimate make(uint64_t ns, struct estimate_error error)
{
	return estimate_make(ns, error, 0, UINT64_MAX);
}

static void assert_about(double a, double b)
{
	assert_true(a < b * 1.001 && b < a * 1.001);
}

TEST(without_error_the_interval_has_no_width)
{
	struct estimate estimate = make(1000000, chance(0));
	assert_int_equal(estimate.low_ns, 1000000);
	assert_int_equal(estimate.high_ns, 1000000);
}

TEST(both_ends_are_the_same_factor_away)
{
	for (double deviation_ns = 1000; deviation_ns < 900000; deviation_ns *= 2) {
		struct estimate by_chance = make(1000000, chance(deviation_ns));
		struct estimate by_doubt = make(1000000, (struct estimate_error){0, deviation_ns});
		assert_about((double)by_chance.high_ns / 1e6, 1e6 / (double)by_chance.low_ns);
		assert_about((double)by_doubt.high_ns / 1e6, 1e6 / (double)by_doubt.low_ns);
		struct estimate by_both =
			make(1000000, (struct estimate_error){deviation_ns * deviation_ns, deviation_ns});
		assert_true(by_both.high_ns >= by_chance.high_ns && by_chance.high_ns >= by_doubt.high_ns);
	}
}

TEST(little_chance_reaches_as_far_as_in_a_normal_distribution)
{
	struct estimate estimate = make(UINT64_C(1000000000), chance(1000000));
	assert_in_range(estimate.high_ns, 1001960000, 1001963000);
	assert_in_range(estimate.low_ns, 998040000, 998043000);
}

TEST(an_estimate_of_nothing_is_not_certainly_nothing)
{
	struct estimate estimate = make(0, (struct estimate_error){1e6, 500});
	assert_int_equal(estimate.low_ns, 0);
	assert_in_range(estimate.high_ns, 2022, 2023); /* the root of 1960^2 + 500^2 */
	/* Nor does a small estimate reach less far up. */
	assert_true(make(10, chance(1000)).high_ns >= 1960);
}

TEST(error_that_is_not_known_reaches_from_bound_to_bound)
{
	const struct estimate_error errors[] = {unknown, {DBL_MAX * 2, 0}, {0, DBL_MAX * 2}};
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		struct estimate estimate = estimate_make(500, errors[i], 100, 900);
		assert_int_equal(estimate.low_ns, 100);
		assert_int_equal(estimate.ns, 500);
		assert_int_equal(estimate.high_ns, 900);
	}
}

TEST(estimates_beyond_a_bound_are_moved_to_it)
{
	struct estimate below = estimate_make(50, chance(10), 100, 900),
			above = estimate_make(950, chance(10), 100, 900),
			contradiction = estimate_make(50, chance(10), 100, 90);
	assert_int_equal(below.ns, 100);
	assert_int_equal(above.ns, 900);
	assert_int_equal(contradiction.ns, 100);
	assert_int_equal(contradiction.high_ns, 100);
}

TEST(a_part_has_the_same_part_of_the_interval)
{
	struct estimate whole = make(1000000, chance(300000)), half = estimate_part(&whole, 0.5, 0);
	assert_in_range(half.ns, whole.ns / 2, whole.ns / 2 + 1);
	assert_in_range(half.low_ns, whole.low_ns / 2, whole.low_ns / 2 + 1);
	assert_in_range(half.high_ns, whole.high_ns / 2, whole.high_ns / 2 + 1);
	assert_int_equal(estimate_part(&whole, 0.5, 900000).low_ns, 900000);
}

/* Losses of 1 us; of four losses, one is twice as long or longer, of these one in four again, and so on. */
static double loss_ns(struct random *random)
{
	double ns = 1000;
	while (random_below(random, 4) == 0)
		ns *= 2;
	return ns;
}

enum { LOSSES = 2000, WEIGHT = 32, TRIALS = 1000 };

/* Whether the interval from a sample of one in WEIGHT losses holds the sum of all. */
static bool holds(struct random *random)
{
	double truth_ns = 0, sum_ns = 0, variance_ns2 = 0;
	for (int i = 0; i < LOSSES; i++) {
		double ns = loss_ns(random);
		truth_ns += ns;
		if (random_below(random, WEIGHT) != 0)
			continue;
		sum_ns += WEIGHT * ns;
		variance_ns2 += WEIGHT * (WEIGHT - 1.0) * ns * ns;
	}
	struct estimate estimate = make(estimate_whole(sum_ns), (struct estimate_error){variance_ns2, 0});
	return (double)estimate.low_ns <= truth_ns && truth_ns <= (double)estimate.high_ns;
}

/* 1.96 standard errors to either side would hold 89.7 %. */
TEST(samples_that_miss_the_longest_losses_still_hold_their_sum)
{
	struct random random = {1};
	int held = 0;
	for (int trial = 0; trial < TRIALS; trial++)
		held += holds(&random);
	print_message("held: %d of %d\n", held, TRIALS);
	assert_true(held >= TRIALS * 91 / 100);
}

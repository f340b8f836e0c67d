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

/* ---- the observer effect ---- */

static const struct recording_info phases = {
	.on_phases = 40,
	.on_ns = 3200000000,
	.on_transactions = 800000,
	.on_aborts = 1600,
	.on_aborts_square = 40 * 40 * 40,
	.on_aborts_us = UINT64_C(40) * 40 * 80000,
	.on_us_square = UINT64_C(40) * 80000 * 80000,
	.off_phases = 38,
	.off_ns = 800000000,
	.off_transactions = 250000,
	.off_aborts = 500,
	.off_aborts_square = 38 * 13 * 13, /* 500 / 38 is about 13 */
	.off_aborts_us = UINT64_C(38) * 13 * 21053,
	.off_us_square = UINT64_C(38) * 21053 * 21053,
};

TEST(it_is_the_ratio_of_both_rates)
{
	struct observer observer = observer_of(&phases);
	assert_true(observer.is_known);
	/* 500 a second with measuring, 625 without; 2 in 1,000 transactions in both. */
	assert_true(observer.effect > 0.79999 && observer.effect < 0.80001);
	assert_true(observer.per_transaction > 0.99999 && observer.per_transaction < 1.00001);
	assert_true(observer.low <= observer.effect && observer.effect <= observer.high);
}

/* If 19 off phases have all of the aborts, and 19 have none, the relative error of their rate is the root of 2 / 37. */
TEST(its_interval_is_wider_if_the_phases_differ)
{
	struct recording_info info = phases;
	info.off_aborts_square = 2 * info.off_aborts * info.off_aborts / 38;
	struct observer observer = observer_of(&info);
	assert_true(observer.is_known);
	assert_true(observer.high / observer.effect > 1.4 && observer.high / observer.effect < 1.5);
	assert_true(observer.effect / observer.low > 1.4 && observer.effect / observer.low < 1.5);
}

TEST(if_aborts_come_in_bursts_it_is_not_known)
{
	struct recording_info info = phases;
	info.on_aborts_square = info.on_aborts * info.on_aborts; /* all in one phase */
	struct observer observer = observer_of(&info);
	assert_false(observer.is_known);
	assert_true(observer.is_in_bursts);
	assert_true(observer.high > 2 * observer.effect);
}

TEST(with_too_few_phases_or_aborts_it_is_not_known)
{
	static const size_t members[] = {offsetof(struct recording_info, on_phases),
		offsetof(struct recording_info, off_phases), offsetof(struct recording_info, on_aborts),
		offsetof(struct recording_info, off_aborts)};
	static const uint64_t min[] = {10, 10, 100, 100};
	for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
		struct recording_info info = phases;
		info.on_aborts_square = info.off_aborts_square = 0; /* the phases are alike */
		uint64_t *member = (uint64_t *)(void *)((char *)&info + members[i]);
		*member = min[i];
		assert_true(observer_of(&info).is_known);
		*member = min[i] - 1;
		assert_false(observer_of(&info).is_known);
	}
}

TEST(no_time_is_no_rate)
{
	struct recording_info info = phases;
	info.off_ns = 0;
	assert_false(observer_of(&info).is_known);
	assert_false(observer_of(&(struct recording_info){.pid = 1}).is_known);
}

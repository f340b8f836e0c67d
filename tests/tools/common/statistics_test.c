/* SPDX-License-Identifier: MIT
 * Values computed by hand, and boundaries; tests/cli/statistics.sh compares with scipy. */
#include <math.h>

#include "statistics.h"
#include "test.h"

#define LEN(array) (sizeof(array) / sizeof(array)[0])

static void assert_near(double found, double expected)
{
	if (!(fabs(found - expected) < 1e-12))
		fail_msg("%.17g is not %.17g", found, expected);
}

static void expect_median(const double *sample, size_t len, struct statistics_median expected)
{
	struct statistics_median median = statistics_median(sample, len);
	assert_near(median.value, expected.value);
	assert_near(median.low, expected.low);
	assert_near(median.high, expected.high);
	assert_near(median.confidence, expected.confidence);
}

TEST(the_median_of_few_has_all_of_them_for_its_interval)
{
	static const double sample[] = {3, 1, 2, 8, 5};
	expect_median(sample, 1, (struct statistics_median){3, 3, 3, 0});
	expect_median(sample, 2, (struct statistics_median){2, 1, 3, 0.5});
	expect_median(sample, 3, (struct statistics_median){2, 1, 3, 0.75});
	expect_median(sample, 5, (struct statistics_median){3, 1, 8, 0.9375});
}

TEST(an_interval_drops_values_as_soon_as_it_may)
{
	static const double sample[] = {9, 8, 7, 6, 5, 4, 3, 2, 1};
	expect_median(sample, 6, (struct statistics_median){6.5, 4, 9, 1 - 2 / 64.0});
	expect_median(sample, 8, (struct statistics_median){5.5, 2, 9, 1 - 2 / 256.0});
	expect_median(sample, 9, (struct statistics_median){5, 2, 8, 1 - 2 * 10 / 512.0});
}

TEST(equals_have_an_interval_of_one_value)
{
	static const double sample[] = {4, 4, 4, 4};
	expect_median(sample, 4, (struct statistics_median){4, 4, 4, 0.875});
}

static void expect_u(const double *first, size_t first_len, const double *second, size_t second_len, double u, double p)
{
	struct statistics_u result = statistics_u(first, first_len, second, second_len);
	assert_near(result.u, u);
	assert_near(result.p, p);
	assert_true(result.is_exact);
	result = statistics_u(second, second_len, first, first_len);
	assert_near(result.u, (double)(first_len * second_len) - u);
	assert_near(result.p, p);
}

TEST(single_values_say_nothing)
{
	static const double one[] = {1}, two[] = {2}, both[] = {1, 2};
	expect_u(one, 1, two, 1, 0, 1);
	expect_u(one, 1, one, 1, 0.5, 1);
	expect_u(one, 1, both, 2, 0.5, 1);
}

TEST(p_of_samples_apart_is_the_min_there_is)
{
	static const double low[] = {1, 2, 3, 4}, high[] = {5, 6, 7, 8};
	expect_u(low, 3, high, 3, 0, 2 / 20.0);
	expect_u(low, 4, high, 4, 0, 2 / 70.0);
	assert_near(statistics_min_p(3, 3), 2 / 20.0);
	assert_near(statistics_min_p(4, 4), 2 / 70.0);
	assert_near(statistics_min_p(1, 1), 1);
}

TEST(p_with_ties_counts_the_ways_to_choose)
{
	/* Of the 10 pairs of {0, 0, 0, 1, 1} one has a sum as far from its mean as {1, 1} has. */
	static const double low[] = {0, 0, 0}, high[] = {1, 1}, mixed[] = {0, 1};
	expect_u(high, 2, low, 3, 6, 1 / 10.0);
	/* Of the 10 pairs of {0, 0, 0, 0, 1}, four have the 1. */
	expect_u(mixed, 2, low, 3, 4.5, 4 / 10.0);
}

TEST(equal_values_are_no_difference)
{
	double same[STATISTICS_MAX_EXACT];
	for (size_t i = 0; i < LEN(same); i++)
		same[i] = 7;
	expect_u(same, 4, same, 4, 8, 1);
	struct statistics_u many = statistics_u(same, LEN(same), same, LEN(same));
	assert_false(many.is_exact);
	assert_near(many.p, 1);
}

TEST(the_normal_distribution_takes_over_where_it_is_near)
{
	double first[21], second[20];
	for (size_t i = 0; i < LEN(first); i++)
		first[i] = (double)(2 * i);
	for (size_t i = 0; i < LEN(second); i++)
		second[i] = (double)(2 * i) + 13;
	struct statistics_u exact = statistics_u(first, 20, second, 20);
	struct statistics_u normal = statistics_u(first, 21, second, 20);
	assert_true(exact.is_exact);
	assert_false(normal.is_exact);
	assert_true(exact.p < 0.05 && normal.p < 0.05);
	assert_true(fabs(statistics_u(second, 20, first, 21).p - normal.p) < 1e-12);
}

TEST(quartiles_lie_at_or_between_values)
{
	double one[] = {7}, two[] = {8, 4}, five[] = {5, 1, 4, 2, 3}, six[] = {6, 5, 4, 3, 2, 1};
	struct statistics_spread of_one = statistics_spread(one, 1), of_two = statistics_spread(two, 2);
	struct statistics_spread of_five = statistics_spread(five, 5), of_six = statistics_spread(six, 6);
	assert_true(of_one.min == 7 && of_one.low == 7 && of_one.median == 7 && of_one.high == 7 && of_one.max == 7);
	assert_true(of_two.min == 4 && of_two.low == 5 && of_two.median == 6 && of_two.high == 7 && of_two.max == 8);
	assert_true(of_five.low == 2 && of_five.median == 3 && of_five.high == 4);
	assert_true(of_six.low == 2.25 && of_six.median == 3.5 && of_six.high == 4.75);
}

TEST(quartiles_of_infinite_values_are_no_nan)
{
	double values[] = {INFINITY, 1, INFINITY, INFINITY, INFINITY};
	struct statistics_spread spread = statistics_spread(values, 5);
	assert_true(spread.min == 1 && isinf(spread.low) && isinf(spread.median) && isinf(spread.max));
}

static void expect_holm(const double *p, const double *weights, const double *expected, size_t len)
{
	double adjusted[8];
	statistics_holm(p, weights, adjusted, len);
	for (size_t i = 0; i < len; i++)
		assert_near(adjusted[i], expected[i]);
}

TEST(holm_multiplies_by_what_is_left_and_never_falls)
{
	static const double p[] = {0.04, 0.01, 0.03, 0.005}, expected[] = {0.06, 0.03, 0.06, 0.02};
	static const double large[] = {0.6, 0.9}, cut[] = {1, 1}, equal[] = {7, 7, 7, 7};
	expect_holm(p, equal, expected, 4);
	expect_holm(large, equal, cut, 2);
	expect_holm(p, equal, p, 1);
	expect_holm(p, equal, p, 0);
}

/* 0.01 * 10 / 8; then 0.004 * 2 / 1, which is less, and 0.03 * 1 / 1. */
TEST(holm_gives_a_test_of_great_weight_a_great_part_of_alpha)
{
	static const double p[] = {0.004, 0.01, 0.03}, weights[] = {1, 8, 1}, expected[] = {0.0125, 0.0125, 0.03};
	expect_holm(p, weights, expected, 3);
}

/* SPDX-License-Identifier: MIT
 * Quantiles from buckets, compared with those of the sorted values. */
#include <stdlib.h>
#include <string.h>

#include <stmlog/format.h>

#include "distribution.h"
#include "random.h"
#include "test.h"

/* By the letter of format.h: the number of binary digits, and the two behind the first one. */
static size_t bucket_of(uint64_t value, size_t len)
{
	size_t digits = 0;
	for (uint64_t rest = value; rest != 0; rest >>= 1)
		digits++;
	size_t bucket = value < 8 ? (size_t)value : 8 + 4 * (digits - 4) + (size_t)(value >> (digits - 3) & 3);
	return bucket < len ? bucket : len - 1;
}

TEST(a_bucket_ends_where_the_next_one_begins)
{
	for (size_t bucket = 0; bucket < STMLOG_LOST_BUCKETS; bucket++) {
		uint64_t bound = distribution_bound(bucket);
		assert_int_equal(bucket_of(bound, SIZE_MAX), bucket);
		assert_int_equal(bucket_of(bound + 1, SIZE_MAX), bucket + 1);
	}
}

TEST(of_no_values_all_is_0)
{
	uint64_t none[STMLOG_ATTEMPT_BUCKETS] = {0};
	assert_int_equal(distribution_quantile(none, STMLOG_ATTEMPT_BUCKETS, 50, 7), 0);
	assert_int_equal(distribution_quantile(none, STMLOG_ATTEMPT_BUCKETS, 100, 7), 0);
}

TEST(one_value_is_each_of_its_quantiles)
{
	static const uint64_t values[] = {0, 1, 7, 8, 9, 10, 1023, 1024, UINT64_C(1) << 50, UINT64_MAX};
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
		uint64_t buckets[STMLOG_LOST_BUCKETS] = {0};
		buckets[bucket_of(values[i], STMLOG_LOST_BUCKETS)] = 1;
		assert_int_equal(distribution_quantile(buckets, STMLOG_LOST_BUCKETS, 1, values[i]), values[i]);
		assert_int_equal(distribution_quantile(buckets, STMLOG_LOST_BUCKETS, 100, values[i]), values[i]);
	}
}

TEST(the_rank_is_rounded_up)
{
	uint64_t buckets[8] = {0, 99, 1};
	assert_int_equal(distribution_quantile(buckets, 8, 99, 2), 1);
	assert_int_equal(distribution_quantile(buckets, 8, 100, 2), 2);
	buckets[2] = 2;
	assert_int_equal(distribution_quantile(buckets, 8, 99, 2), 2);
}

TEST(counts_without_end_are_as_many_as_can_be)
{
	uint64_t buckets[8] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
	assert_int_equal(distribution_quantile(buckets, 8, 100, 2), 0);
	assert_int_equal(distribution_quantile(buckets, 8, 1, 2), 0);
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
	return left < right ? -1 : left > right;
}

TEST(quantiles_of_random_values_are_too_high_by_a_quarter_at_max)
{
	struct random random = {7};
	for (int round = 0; round < 3000; round++) {
		uint64_t values[200], buckets[STMLOG_LOST_BUCKETS] = {0};
		size_t count = 1 + random_below(&random, 200);
		for (size_t i = 0; i < count; i++) {
			values[i] = random_below(&random, 1000000) >> random_below(&random, 20);
			buckets[bucket_of(values[i], STMLOG_LOST_BUCKETS)]++;
		}
		qsort(values, count, sizeof *values, compare);
		unsigned percent = 1 + random_below(&random, 100);
		uint64_t exact = values[(count * percent + 99) / 100 - 1];
		uint64_t found = distribution_quantile(buckets, STMLOG_LOST_BUCKETS, percent, values[count - 1]);
		assert_in_range(found, exact, exact + exact / 4);
		assert_in_range(found, exact, values[count - 1]);
	}
}

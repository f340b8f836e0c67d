/* SPDX-License-Identifier: MIT
 * Transactions by place; and quantiles from buckets, compared with those of the sorted values. */
#include "placed.h"

#include <stdlib.h>
#include <string.h>

#include <stmlog/format.h>

#include "random.h"
#include "test.h"
#include "transactions.h"

static struct transactions all;

static void load_sorted(enum tally_sort sort)
{
	load();
	all = transactions_make(&recording, places, sort);
}

static void unload_all(void)
{
	transactions_fini(&all);
	unload();
}

/* Of f at the line; 0: of no site. */
static void add(uint32_t line, uint64_t attempts, uint64_t lost_ns, uint64_t longest_ns)
{
	struct stmlog_transaction_record record = {
		.site = line != 0 ? writer_place(&writer, "f", "a.c", line) : STMLOG_NO_SITE,
		.commits = 1,
		.attempts = attempts,
		.lost_ns = lost_ns,
		.max_attempts = attempts,
		.longest_ns = longest_ns,
	};
	record.by_attempts[attempts]++;
	record.by_lost_ns[longest_ns]++;
	writer_transaction(&writer, &record);
}

TEST(none_are_none)
{
	writer_init(&writer);
	load_sorted(TALLY_LOST);
	assert_int_equal(all.len, 0);
	unload_all();
}

TEST(sites_of_one_name_are_one)
{
	writer_init(&writer);
	add(7, 2, 5, 5);
	add(0, 1, 0, 0);
	add(7, 6, 3, 3);
	add(0, 3, 4, 4);
	load_sorted(TALLY_LOST);
	assert_int_equal(all.len, 2);
	assert_string_equal(places_frame(places, all.rows[0].place)->function, "f");
	const struct stmlog_transaction_record *one = &all.rows[0].record;
	assert_int_equal(one->commits, 2);
	assert_int_equal(one->attempts, 8);
	assert_int_equal(one->lost_ns, 8);
	assert_int_equal(one->max_attempts, 6);
	assert_int_equal(one->longest_ns, 5);
	assert_int_equal(one->by_attempts[2] + one->by_attempts[6], 2);
	assert_int_equal(one->by_lost_ns[5] + one->by_lost_ns[3], 2);
	assert_int_equal(all.rows[1].place, PLACE_UNKNOWN);
	assert_int_equal(all.rows[1].record.commits, 2);
	unload_all();
}

TEST(each_order_has_its_first_and_equals_stay)
{
	static const uint32_t lines[][4] = {{3, 1, 2, 4}, {2, 1, 3, 4}, {1, 3, 2, 4}};
	for (size_t sort = 0; sort < 3; sort++) {
		writer_init(&writer);
		add(1, 2, 5, 7);
		add(2, 6, 5, 5);
		add(3, 1, 6, 6);
		add(4, 1, 0, 0);
		load_sorted((enum tally_sort)sort);
		for (size_t i = 0; i < 4; i++)
			assert_int_equal(places_frame(places, all.rows[i].place)->line, lines[sort][i]);
		unload_all();
	}
}

TEST(a_summary_is_of_the_one_distribution_and_of_the_other)
{
	struct stmlog_transaction_record record = {.max_attempts = 90, .longest_ns = 80};
	record.by_attempts[3] = 99;
	record.by_attempts[7] = 1;
	record.by_lost_ns[5] = 49;
	record.by_lost_ns[6] = 50;
	record.by_lost_ns[8] = 1;
	struct transactions_summary attempts = transactions_attempts(&record), lost = transactions_lost_ns(&record);
	assert_int_equal(attempts.median, 3);
	assert_int_equal(attempts.p99, 3);
	assert_int_equal(attempts.max, 90);
	assert_int_equal(lost.median, 6);
	assert_int_equal(lost.p99, 6);
	assert_int_equal(lost.max, 80);
	record.by_lost_ns[5] = 48;
	record.by_lost_ns[8] = 2;
	assert_int_equal(transactions_lost_ns(&record).p99, 9);
}

/* ---- quantiles ---- */

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

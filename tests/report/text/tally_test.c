/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "random.h"
#include "tally.h"
#include "test.h"

TEST(nothing_added_is_no_row)
{
	OWNED(tally_drop) struct tally tally = tally_make(NULL, 0);
	tally_group(&tally, TALLY_LOST);
	assert_int_equal(tally.len, 0);
}

TEST(rows_of_one_key_become_one)
{
	OWNED(tally_drop) struct tally tally = tally_make(NULL, 3);
	tally_add(&tally, 7, 1, &(struct tally_sum){1, 10, 10, 1, 10, 1, 0, 0, 5, 1});
	tally_add(&tally, 7, 2, &(struct tally_sum){1, 500, 500, 0, 0, 0, 0, 0, 0, 0});
	tally_add(&tally, 7, 1, &(struct tally_sum){2, 90, 60, 1, 60, 2, 0, 0, 6, 2});
	tally_group(&tally, TALLY_LOST);
	assert_int_equal(tally.len, 2);
	assert_int_equal(tally.rows[0]->key[1], 2);
	assert_int_equal(tally.rows[0]->parts, 1);
	const struct tally_row *row = tally.rows[1];
	assert_int_equal(row->parts, 2);
	assert_int_equal(row->first, 0);
	struct tally_sum expected = {3, 100, 60, 2, 70, 3, 0, 0, 11, 3};
	assert_memory_equal(&row->sum, &expected, sizeof expected);
}

TEST(each_measure_has_its_order_and_equals_stay_as_they_came)
{
	static const struct {
		enum tally_sort sort;
		uint64_t keys[4];
	} orders[] = {{TALLY_LOST, {3, 1, 2, 4}}, {TALLY_COUNT, {4, 1, 2, 3}}, {TALLY_LONGEST, {2, 4, 1, 3}}};
	for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
		OWNED(tally_drop) struct tally tally = tally_make(NULL, 4);
		tally_add(&tally, 4, 0, &(struct tally_sum){.count = 9, .lost_ns = 1, .longest_ns = 5});
		tally_add(&tally, 1, 0, &(struct tally_sum){.count = 5, .lost_ns = 7, .longest_ns = 2});
		tally_add(&tally, 3, 0, &(struct tally_sum){.count = 1, .lost_ns = 8, .longest_ns = 2});
		tally_add(&tally, 2, 0, &(struct tally_sum){.count = 5, .lost_ns = 7, .longest_ns = 6});
		tally_group(&tally, orders[i].sort);
		for (size_t k = 0; k < 4; k++)
			assert_int_equal(tally.rows[k]->key[0], orders[i].keys[k]);
	}
}

static const struct recording sampled = {.info = {.sampled = 1}};

/* A sum of so many measured losses, 100 ns in all, and its estimate. */
static struct tally_sum estimated(uint64_t count, double ns, double half_ns)
{
	double error_ns = half_ns / 1.96;
	return (struct tally_sum){
		.count = count, .lost_ns = 100, .surplus_ns = ns - 100, .variance_ns2 = error_ns * error_ns};
}

/* 3 is higher than 1, but less certain; 5 is as certain as 1, and lower; 2 and 4 are of nine losses. */
static void add_uncertain(struct tally *tally)
{
	const struct tally_sum sums[] = {estimated(10, 1000, 100), estimated(9, 9000, 0), estimated(50, 5000, 10000),
		estimated(9, 8000, 0), estimated(99, 950, 50)};
	for (size_t i = 0; i < 5; i++)
		tally_add(tally, i + 1, 0, &sums[i]);
}

TEST(the_lower_end_of_an_interval_ranks_and_what_is_too_few_comes_last)
{
	static const uint64_t by_lost[] = {1, 5, 3, 2, 4}, by_count[] = {5, 3, 1, 2, 4};
	for (int is_by_count = 0; is_by_count < 2; is_by_count++) {
		OWNED(tally_drop) struct tally tally = tally_make(&sampled, 5);
		enum tally_sort sort = is_by_count ? TALLY_COUNT : TALLY_LOST;
		add_uncertain(&tally);
		tally_group(&tally, sort);
		for (size_t i = 0; i < 5; i++) {
			assert_int_equal(tally.rows[i]->key[0], is_by_count ? by_count[i] : by_lost[i]);
			assert_int_equal(tally.rows[i]->is_too_few, i > 2);
		}
		assert_int_equal(tally_known(&tally, sort), 3);
	}
}

/* A single loss is measured, however few there were. */
TEST(by_the_longest_loss_nothing_is_too_few)
{
	OWNED(tally_drop) struct tally tally = tally_make(&sampled, 2);
	tally_add(&tally, 1, 0, &(struct tally_sum){.count = 100, .lost_ns = 900, .longest_ns = 9});
	tally_add(&tally, 2, 0, &(struct tally_sum){.count = 1, .lost_ns = 10, .longest_ns = 10});
	tally_group(&tally, TALLY_LONGEST);
	assert_int_equal(tally.rows[0]->key[0], 2);
	assert_int_equal(tally_known(&tally, TALLY_LONGEST), 2);
}

TEST(in_an_exact_recording_nothing_is_too_few)
{
	OWNED(tally_drop) struct tally tally = tally_make(NULL, 2);
	tally_add(&tally, 1, 0, &(struct tally_sum){.count = 100, .lost_ns = 9});
	tally_add(&tally, 2, 0, &(struct tally_sum){.count = 1, .lost_ns = 10});
	tally_group(&tally, TALLY_LOST);
	assert_int_equal(tally.rows[0]->key[0], 2);
	assert_int_equal(tally_known(&tally, TALLY_LOST), 2);
}

/* One array element for each key: what a tally of few keys must come to. */
TEST(random_rows_are_grouped_as_a_table_would)
{
	enum { KEYS = 5, ROWS = 2000 };
	struct random random = {11};
	for (int round = 0; round < 20; round++) {
		struct tally_row model[KEYS][KEYS];
		OWNED(tally_drop) struct tally tally = tally_make(NULL, ROWS);
		memset(model, 0, sizeof model);
		for (size_t i = 0; i < ROWS; i++) {
			uint64_t a = random_below(&random, KEYS), b = random_below(&random, KEYS);
			struct tally_sum sum = {
				1, random_below(&random, 1000), random_below(&random, 1000), 1, 3, 0, 0, 0, 0, 0};
			sum.surplus_ns = (double)random_below(&random, 1000);
			sum.variance_ns2 = 4;
			tally_add(&tally, a, b, &sum);
			struct tally_row *row = &model[a][b];
			row->parts++;
			row->sum.count++;
			row->sum.lost_ns += sum.lost_ns;
			row->sum.wasted_ns += 3;
			row->sum.surplus_ns += sum.surplus_ns;
			if (sum.longest_ns > row->sum.longest_ns)
				row->sum.longest_ns = sum.longest_ns;
		}
		tally_group(&tally, TALLY_LOST);
		assert_int_equal(tally.len, KEYS * KEYS);
		for (size_t i = 0; i < tally.len; i++) {
			const struct tally_row *row = tally.rows[i], *expected = &model[row->key[0]][row->key[1]];
			assert_int_equal(row->parts, expected->parts);
			assert_int_equal(row->sum.count, expected->sum.count);
			assert_int_equal(row->sum.lost_ns, expected->sum.lost_ns);
			assert_int_equal(row->sum.longest_ns, expected->sum.longest_ns);
			assert_int_equal(row->sum.wasted_ns, expected->sum.wasted_ns);
			assert_true(row->sum.surplus_ns <= expected->sum.surplus_ns &&
				    row->sum.surplus_ns >= expected->sum.surplus_ns);
			double root = 2.0 * (double)row->parts, variance = row->sum.variance_ns2;
			assert_true(variance > root * root * 0.999999 && variance < root * root * 1.000001);
			assert_true(i == 0 || row->lost.low_ns <= tally.rows[i - 1]->lost.low_ns);
		}
	}
}

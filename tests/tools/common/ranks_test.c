/* SPDX-License-Identifier: MIT */

#include "random.h"
#include "ranks.h"
#include "test.h"

TEST(each_number_has_the_rank_of_its_order)
{
	OWNED(ranks_fini) struct ranks ranks = {.len = 0};
	const uint64_t numbers[] = {7, 7, 3, UINT64_MAX, 3, 0};
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		ranks_add(&ranks, numbers[i]);
	ranks_sort(&ranks);
	assert_int_equal(ranks.len, 4);
	assert_int_equal(ranks_find(&ranks, 0), 0);
	assert_int_equal(ranks_find(&ranks, 3), 1);
	assert_int_equal(ranks_find(&ranks, 7), 2);
	assert_int_equal(ranks_find(&ranks, UINT64_MAX), 3);
	assert_true(ranks_find(&ranks, 5) == RANKS_NONE);
}

TEST(of_no_numbers_none_is_found)
{
	OWNED(ranks_fini) struct ranks ranks = {.len = 0};
	ranks_sort(&ranks);
	assert_true(ranks_find(&ranks, 0) == RANKS_NONE);
}

TEST(memory_grows_with_the_distinct_numbers)
{
	enum { DISTINCT = 5000, CALLS = 200000 };
	OWNED(ranks_fini) struct ranks ranks = {.len = 0};
	struct random random = {11};
	for (size_t i = 0; i < CALLS; i++)
		ranks_add(&ranks, 10 * (uint64_t)random_below(&random, DISTINCT));
	ranks_sort(&ranks);
	assert_int_equal(ranks.len, DISTINCT);
	assert_true(ranks.cap <= 4 * DISTINCT);
	for (size_t i = 0; i < DISTINCT; i++) {
		assert_int_equal(ranks_find(&ranks, 10 * i), i);
		assert_true(ranks_find(&ranks, 10 * i + 1) == RANKS_NONE);
	}
}

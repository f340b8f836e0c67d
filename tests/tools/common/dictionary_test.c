/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "dictionary.h"
#include "random.h"
#include "test.h"

/* ---- texts ---- */

TEST(each_text_has_one_number)
{
	enum { TEXTS = 500 };
	OWNED(dictionary_fini) struct dictionary dictionary = {0};
	char text[16];
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < TEXTS; i++) {
			snprintf(text, sizeof text, "%d", i * 7919 % TEXTS);
			const struct dictionary_entry *entry = dictionary_find(&dictionary, text);
			assert_int_equal(entry->number, i + 1);
			assert_int_equal(entry->is_new, round == 0);
			assert_string_equal(entry->text, text);
		}
	}
}

TEST(no_text_is_a_text)
{
	OWNED(dictionary_fini) struct dictionary dictionary = {0};
	assert_int_equal(dictionary_find(&dictionary, "a")->number, 1);
	assert_int_equal(dictionary_find(&dictionary, "")->number, 2);
	assert_false(dictionary_find(&dictionary, "")->is_new);
}

TEST(an_empty_one_can_be_ended_twice)
{
	struct dictionary dictionary = {0};
	dictionary_fini(&dictionary);
	dictionary_fini(&dictionary);
	assert_true(dictionary_find(&dictionary, "a")->is_new);
	dictionary_fini(&dictionary);
	assert_true(dictionary_find(&dictionary, "a")->is_new);
	dictionary_fini(&dictionary);
}

/* ---- ranks of numbers ---- */

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

/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

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

/* ---- pieces of bytes ---- */

TEST(pieces_are_numbered_as_they_come_and_kept_one_behind_the_other)
{
	OWNED(unique_fini) struct unique unique = {0};
	assert_int_equal(unique_find(&unique, "", 1), 0);
	assert_int_equal(unique_find(&unique, "ab", 2), 1);
	assert_int_equal(unique_find(&unique, "a", 1), 2);
	assert_int_equal(unique_find(&unique, "abc", 3), 3);
	assert_int_equal(unique_find(&unique, "ab", 2), 1);
	assert_int_equal(unique_find(&unique, "", 1), 0);
	assert_int_equal(unique.count, 4);
	assert_int_equal(unique.len, 7);
	assert_memory_equal(unique.bytes, "\0abaabc", 7);
	assert_int_equal(unique.at[3], 4);
}

/* Against a list that is searched from its beginning. */
TEST(each_of_many_is_found_again)
{
	enum { PIECES = 3000, WORDS = 1000 };
	static uint32_t seen[PIECES][2];
	OWNED(unique_fini) struct unique unique = {0};
	struct random random = {3};
	size_t count = 0;
	for (size_t i = 0; i < PIECES; i++) {
		uint32_t piece[2] = {random_below(&random, WORDS), random_below(&random, 2)};
		size_t expected = 0;
		while (expected < count && memcmp(seen[expected], piece, sizeof piece) != 0)
			expected++;
		if (expected == count)
			memcpy(seen[count++], piece, sizeof piece);
		assert_int_equal(unique_find(&unique, piece, sizeof piece), expected);
	}
	assert_int_equal(unique.count, count);
}

TEST(one_that_was_ended_is_empty)
{
	struct unique unique = {0};
	unique_fini(&unique);
	unique_find(&unique, "a", 1);
	unique_fini(&unique);
	assert_int_equal(unique_find(&unique, "b", 1), 0);
	unique_fini(&unique);
}

TEST(a_new_record_is_zero_and_an_old_one_has_what_was_put_there)
{
	enum { KEYS = 100, STEPS = 5000 };
	OWNED(keyed_fini) struct keyed keyed = {.size = 3 * sizeof(uint64_t)};
	struct random random = {5};
	uint64_t sums[KEYS] = {0}, *record;
	for (size_t i = 0; i < STEPS; i++) {
		uint32_t key = random_below(&random, KEYS), more = 1 + random_below(&random, 9);
		bool is_new;
		record = keyed_find(&keyed, &key, sizeof key, &is_new);
		assert_int_equal(is_new, sums[key] == 0);
		assert_int_equal(record[0], sums[key]);
		assert_int_equal(record[2], sums[key]);
		record[0] += more;
		record[2] += more;
		sums[key] += more;
	}
	assert_int_equal(keyed_count(&keyed), KEYS);
}

TEST(keys_of_any_length_tell_records_apart)
{
	struct keyed keyed = {.size = 1};
	bool is_new;
	*(char *)keyed_find(&keyed, "ab", 2, &is_new) = 1;
	*(char *)keyed_find(&keyed, "a", 1, &is_new) = 2;
	assert_true(is_new);
	assert_int_equal(*(char *)keyed_find(&keyed, "ab", 2, &is_new), 1);
	assert_int_equal(((char *)keyed.records)[1], 2);
	keyed_fini(&keyed);
	assert_int_equal(keyed_count(&keyed), 0);
}

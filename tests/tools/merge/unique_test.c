/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "random.h"
#include "test.h"
#include "unique.h"

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

/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "unique.h"

static void pieces_are_numbered_as_they_come_and_kept_one_behind_the_other(void **state)
{
	(void)state;
	struct unique unique = {0};
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
	unique_fini(&unique);
}

/* Against a list that is gone through from its begin. */
static void each_of_many_is_found_again(void **state)
{
	(void)state;
	enum { PIECES = 3000, WORDS = 1000 };
	static uint32_t seen[PIECES][2];
	struct unique unique = {0};
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
	unique_fini(&unique);
}

static void one_that_was_ended_is_empty(void **state)
{
	(void)state;
	struct unique unique = {0};
	unique_fini(&unique);
	unique_find(&unique, "a", 1);
	unique_fini(&unique);
	assert_int_equal(unique_find(&unique, "b", 1), 0);
	unique_fini(&unique);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_numbered_as_they_come_and_kept_one_behind_the_other),
		cmocka_unit_test(each_of_many_is_found_again),
		cmocka_unit_test(one_that_was_ended_is_empty),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "sort.h"

struct element {
	uint32_t key;
	uint32_t number;
	char rest[5];
};

static int by_key(const void *a, const void *b, const void *arg)
{
	const struct element *left = a, *right = b;
	assert_ptr_equal(arg, &by_key);
	int keys = sort_numbers(left->key, right->key);
	return keys != 0 ? keys : sort_numbers(left->number, right->number);
}

static int for_qsort(const void *a, const void *b)
{
	return by_key(a, b, &by_key);
}

static void arrays_of_each_length_are_as_qsort_leaves_them(void **state)
{
	(void)state;
	static struct element sorted[300], expected[300];
	struct random random = {1};
	for (size_t len = 0; len < 300; len++) {
		for (size_t i = 0; i < len; i++)
			sorted[i] = (struct element){random_below(&random, 1 + (uint32_t)len / 2), (uint32_t)i, "rest"};
		memcpy(expected, sorted, sizeof sorted);
		qsort(expected, len, sizeof expected[0], for_qsort);
		sort(sorted, len, sizeof sorted[0], by_key, &by_key);
		assert_memory_equal(sorted, expected, sizeof sorted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_of_each_length_are_as_qsort_leaves_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

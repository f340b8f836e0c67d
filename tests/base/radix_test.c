/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "radix.h"
#include "random.h"
#include "test.h"

enum { MAX = 400 };

static int for_qsort(const void *a, const void *b)
{
	const struct radix_item *left = a, *right = b;
	if (left->number != right->number)
		return left->number < right->number ? -1 : 1;
	return left->at < right->at ? -1 : left->at > right->at;
}

/* Numbers of all lengths, many of them equal. */
static uint64_t random_number(struct random *random)
{
	return (uint64_t)random_below(random, 9) << random_below(random, 61);
}

TEST(cards_of_any_numbers_come_out_as_a_stable_sort_leaves_them)
{
	static struct radix_item items[MAX], spare[MAX], expected[MAX];
	struct random random = {5};
	for (size_t len = 0; len < MAX; len++) {
		for (size_t i = 0; i < len; i++)
			expected[i] = items[i] = (struct radix_item){random_number(&random), i};
		qsort(expected, len, sizeof expected[0], for_qsort);
		const struct radix_item *sorted = radix_sort(items, spare, len);
		assert_true(sorted == items || sorted == spare);
		assert_memory_equal(sorted, expected, len * sizeof expected[0]);
	}
}

TEST(cards_in_order_stay_where_they_are)
{
	struct radix_item items[] = {{1, 0}, {1, 1}, {700, 2}, {UINT64_MAX, 3}}, spare[4];
	assert_ptr_equal(radix_sort(items, spare, 4), items);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(items[i].at, i);
}

/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "sort.h"
#include "test.h"

struct element {
	uint64_t key[2];
	uint32_t number;
	char rest[4];
};

static uint64_t number_of(const void *element, unsigned rank, const void *arg)
{
	assert_ptr_equal(arg, &number_of);
	return ((const struct element *)element)->key[rank];
}

/* `number` is where the element stood before. */
static int for_qsort(const void *a, const void *b)
{
	const struct element *left = a, *right = b;
	int firsts = sort_numbers(left->key[0], right->key[0]), seconds = sort_numbers(left->key[1], right->key[1]);
	return firsts != 0 ? firsts : seconds != 0 ? seconds : sort_numbers(left->number, right->number);
}

/* Numbers of all lengths, many of them equal. */
static uint64_t random_key(struct random *random, size_t len)
{
	uint64_t key = random_below(random, 1 + (uint32_t)len / 2);
	return random_below(random, 2) == 0 ? key : UINT64_MAX - (key << random_below(random, 60));
}

TEST(arrays_of_each_length_are_as_a_stable_sort_leaves_them)
{
	static struct element sorted[300], expected[300];
	struct random random = {1};
	for (size_t len = 0; len < 300; len++) {
		for (size_t i = 0; i < len; i++)
			sorted[i] = (struct element){
				{random_key(&random, 4), random_key(&random, len)}, (uint32_t)i, "end"};
		memcpy(expected, sorted, sizeof sorted);
		qsort(expected, len, sizeof expected[0], for_qsort);
		sort(sorted, len, sizeof sorted[0], number_of, 2, &number_of);
		assert_memory_equal(sorted, expected, sizeof sorted);
	}
}

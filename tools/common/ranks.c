/* SPDX-License-Identifier: MIT */
#include "ranks.h"

#include <stdlib.h>

#include "memory.h"

struct ranks ranks_make(size_t most)
{
	return (struct ranks){.numbers = memory_zeroed(most, sizeof(uint64_t))};
}

void ranks_fini(struct ranks *ranks)
{
	free(ranks->numbers);
	*ranks = (struct ranks){.numbers = NULL};
}

void ranks_add(struct ranks *ranks, uint64_t number)
{
	if (ranks->len == 0 || ranks->numbers[ranks->len - 1] != number)
		ranks->numbers[ranks->len++] = number;
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
	return left < right ? -1 : left > right;
}

void ranks_sort(struct ranks *ranks)
{
	size_t kept = 0;
	qsort(ranks->numbers, ranks->len, sizeof *ranks->numbers, compare);
	for (size_t i = 0; i < ranks->len; i++)
		if (kept == 0 || ranks->numbers[kept - 1] != ranks->numbers[i])
			ranks->numbers[kept++] = ranks->numbers[i];
	ranks->len = kept;
}

size_t ranks_find(const struct ranks *ranks, uint64_t number)
{
	size_t low = 0, high = ranks->len;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (ranks->numbers[middle] <= number)
			low = middle;
		else
			high = middle;
	}
	return low;
}

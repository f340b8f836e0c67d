/* SPDX-License-Identifier: MIT */
#include "ranks.h"

#include <stdlib.h>

#include "check.h"
#include "memory.h"
#include "sort.h"

enum { FIRST_SORT = 4096 };

static int compare(const void *a, const void *b)
{
	return sort_numbers(*(const uint64_t *)a, *(const uint64_t *)b);
}

void ranks_sort(struct ranks *ranks)
{
	size_t kept = 0;
	if (ranks->len > 0)
		qsort(ranks->numbers, ranks->len, sizeof *ranks->numbers, compare);
	for (size_t i = 0; i < ranks->len; i++)
		if (kept == 0 || ranks->numbers[kept - 1] != ranks->numbers[i])
			ranks->numbers[kept++] = ranks->numbers[i];
	ranks->len = kept;
	ranks->max = 0;
}

/* Sorted whenever there are twice as many numbers as were distinct the last time. */
void ranks_add(struct ranks *ranks, uint64_t number)
{
	if (ranks->len > 0 && ranks->numbers[ranks->len - 1] == number)
		return;
	ranks->numbers = memory_grown(ranks->numbers, ranks->len, &ranks->cap, sizeof *ranks->numbers);
	ranks->numbers[ranks->len++] = number;
	if (ranks->max == 0)
		ranks->max = FIRST_SORT;
	if (ranks->len < ranks->max)
		return;
	ranks_sort(ranks);
	ranks->max = 2 * ranks->len > FIRST_SORT ? 2 * ranks->len : FIRST_SORT;
}

static uint64_t number_at(const void *numbers, size_t index)
{
	return ((const uint64_t *)numbers)[index];
}

size_t ranks_find(const struct ranks *ranks, uint64_t number)
{
	REQUIRES(ranks->max == 0);
	size_t up_to = bisect(ranks->numbers, ranks->len, number, number_at);
	return up_to > 0 && ranks->numbers[up_to - 1] == number ? up_to - 1 : RANKS_NONE;
}

void ranks_fini(struct ranks *ranks)
{
	free(ranks->numbers);
	*ranks = (struct ranks){.numbers = NULL};
}

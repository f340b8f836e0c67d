/* SPDX-License-Identifier: MIT
 * The distinct numbers among many, and the rank of each in their order: what threads and tasks are looked up by.
 * Sorted, not hashed: a file chooses its numbers, and could choose ones that collide. */
#ifndef RANKS_H
#define RANKS_H

#include <stddef.h>
#include <stdint.h>

/* An empty one is zeroed. Invariant: len <= cap; len < max, or max is 0 and the numbers ascend, each once. */
struct ranks {
	uint64_t *numbers;
	size_t len, cap;
	size_t max; /* so many, repetitions included, are sorted; 0: ranks_sort() was called behind the last ranks_add()
		     */
};

/* Memory grows with the distinct numbers, not with the calls. Ends the command without memory. */
void ranks_add(struct ranks *ranks, uint64_t number);

/* Once all numbers are added. */
void ranks_sort(struct ranks *ranks);

#define RANKS_NONE SIZE_MAX

/* The number's rank; RANKS_NONE: it was not added. Requires ranks_sort(). */
size_t ranks_find(const struct ranks *ranks, uint64_t number);

void ranks_fini(struct ranks *ranks);

#endif

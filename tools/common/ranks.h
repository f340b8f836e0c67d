/* SPDX-License-Identifier: MIT
 * The distinct ones of many numbers, in order: what threads and tasks are looked up by. Sorted and halved, not hashed:
 * a file chooses its numbers. */
#ifndef RANKS_H
#define RANKS_H

#include <stddef.h>
#include <stdint.h>

/* Invariant: ascending. */
struct ranks {
	uint64_t *numbers;
	size_t len;
};

/* Room for `most` calls of ranks_add(); ends the command without memory. */
struct ranks ranks_make(size_t most);
void ranks_fini(struct ranks *ranks);

void ranks_add(struct ranks *ranks, uint64_t number);

/* Puts them in order: from here on nothing is added. */
void ranks_sort(struct ranks *ranks);

/* Where the number stands. Requires that it was added. */
size_t ranks_find(const struct ranks *ranks, uint64_t number);

#endif

/* SPDX-License-Identifier: MIT
 * Sorting by numbers, in time proportional to the number of elements; and binary search in what is sorted. Code in the
 * profiled process must not call malloc(), and qsort() may. */
#ifndef SORT_H
#define SORT_H

#include <stddef.h>
#include <stdint.h>

/* Returns a number by which an element is sorted. `rank` 0 is the most significant number, 1 the next, and so on. */
typedef uint64_t sort_number(const void *element, unsigned rank, const void *arg);

/* Sorts `len` elements of `size` bytes by their numbers, ascending; each element has `ranks` numbers. The sort is
 * stable. Allocates as report_memory.h says. */
void sort(void *elements, size_t len, size_t size, sort_number *number, unsigned ranks, const void *arg);

/* Returns how many of the first `len` elements have a key of at most `key`. Keys ascend; element i of
 * `array` has the key key_at(array, i). */
size_t bisect(const void *array, size_t len, uint64_t key, uint64_t (*key_at)(const void *array, size_t index));

/* Below, equal to or above 0, for comparisons of qsort(). */
static inline int sort_numbers(uint64_t left, uint64_t right)
{
	return left < right ? -1 : left > right;
}

#endif

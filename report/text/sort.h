/* SPDX-License-Identifier: MIT
 * Sorting by numbers, in time proportional to the number of elements. qsort() may call malloc, which in-process code
 * must not do. */
#ifndef SORT_H
#define SORT_H

#include <stddef.h>
#include <stdint.h>

/* What an element is sorted by: `rank` 0 is the number that counts most, and so on. */
typedef uint64_t sort_number(const void *element, unsigned rank, const void *arg);

/* Puts `len` elements of `size` bytes in ascending order of their numbers, of which each has `ranks`. Elements of equal
 * numbers keep their order. Takes memory as report_memory.h says. */
void sort(void *elements, size_t len, size_t size, sort_number *number, unsigned ranks, const void *arg);

static inline int sort_numbers(uint64_t left, uint64_t right)
{
	return left < right ? -1 : left > right;
}

#endif

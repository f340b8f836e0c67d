/* SPDX-License-Identifier: MIT
 * Sorting in place. qsort() may call malloc, which in-process code must not do. */
#ifndef SORT_H
#define SORT_H

#include <stddef.h>
#include <stdint.h>

/* Negative: `left` comes first; positive: `right` does; 0 only for an element and itself. */
typedef int sort_order(const void *left, const void *right, const void *arg);

/* Puts `len` elements of `size` bytes in order. */
void sort(void *elements, size_t len, size_t size, sort_order *order, const void *arg);

static inline int sort_numbers(uint64_t left, uint64_t right)
{
	return left < right ? -1 : left > right;
}

#endif

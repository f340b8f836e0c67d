/* SPDX-License-Identifier: MIT
 * A radix sort of numbers that stand for elements of the caller's array. Its time is proportional to how many they are.
 * It allocates no memory and needs little stack, so it may run in a signal handler. */
#ifndef BASE_RADIX_H
#define BASE_RADIX_H

#include <stddef.h>
#include <stdint.h>

/* An element: the number by which it is sorted, and its index in the caller's array. */
struct radix_item {
	uint64_t number;
	size_t at;
};

/* Puts the items in ascending order of their numbers; items of equal numbers keep their order. To sort by two numbers,
 * sort by the less significant one first. `spare` has room for as many items. Returns the array that has the sorted
 * items, which is either of the two; the contents of the other one are not defined. */
struct radix_item *radix_sort(struct radix_item *items, struct radix_item *spare, size_t len);

#endif

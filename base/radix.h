/* SPDX-License-Identifier: MIT
 * A radix sort of numbers, for elements that lie elsewhere: in time proportional to how many they are. Takes no memory,
 * and little of the stack, so it may run in a signal handler. */
#ifndef BASE_RADIX_H
#define BASE_RADIX_H

#include <stddef.h>
#include <stdint.h>

/* An element, by where it stands, and what it is sorted by. */
struct radix_item {
	uint64_t number;
	size_t at;
};

/* Puts the cards in ascending order of their numbers; those of equal numbers keep their order. To sort by two numbers,
 * sort by the one that counts less first. `spare` has room for as many cards. Returns where the sorted cards are:
 * either of the two; the other one has what is left over. */
struct radix_item *radix_sort(struct radix_item *cards, struct radix_item *spare, size_t len);

#endif

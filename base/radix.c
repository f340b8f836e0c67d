/* SPDX-License-Identifier: MIT
 * Sorts by the lowest byte first. Each step keeps the order of items whose bytes are equal, so that all are in order
 * after the step of the highest byte. A byte in which no two numbers differ is skipped. */
#include "radix.h"

#include <stdbool.h>

enum { BYTE_VALUES = 256, BYTES = sizeof(uint64_t) };

static unsigned byte_of(uint64_t number, unsigned byte)
{
	return (unsigned)(number >> 8 * byte) & (BYTE_VALUES - 1);
}

/* The bits in which any two numbers differ; 0 also if the items are in order already. */
static uint64_t bits_to_sort(const struct radix_item *items, size_t len)
{
	uint64_t differing = 0;
	bool is_sorted = true;
	for (size_t i = 1; i < len; i++) {
		differing |= items[i].number ^ items[0].number;
		is_sorted = is_sorted && items[i - 1].number <= items[i].number;
	}
	return is_sorted ? 0 : differing;
}

/* Copies the items in the order of one byte: the items of each value of the byte begin where those of lower values
 * end. */
static void scatter(const struct radix_item *from, struct radix_item *to, size_t len, unsigned byte)
{
	size_t next[BYTE_VALUES] = {0}, before = 0;
	for (size_t i = 0; i < len; i++)
		next[byte_of(from[i].number, byte)]++;
	for (size_t value = 0; value < BYTE_VALUES; value++) {
		size_t count = next[value];
		next[value] = before;
		before += count;
	}
	for (size_t i = 0; i < len; i++)
		to[next[byte_of(from[i].number, byte)]++] = from[i];
}

struct radix_item *radix_sort(struct radix_item *items, struct radix_item *spare, size_t len)
{
	uint64_t differing = bits_to_sort(items, len);
	for (unsigned byte = 0; byte < BYTES; byte++) {
		if (byte_of(differing, byte) == 0)
			continue;
		scatter(items, spare, len, byte);
		struct radix_item *scattered = spare;
		spare = items;
		items = scattered;
	}
	return items;
}

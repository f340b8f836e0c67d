/* SPDX-License-Identifier: MIT
 * sort() sorts by the least significant number first: radix_sort() is stable, so after the most significant number all
 * elements are in order. The elements themselves are moved once. If they are sorted already, no memory is allocated and
 * nothing moves. bisect() halves the range of candidates until none is left. */
#include "sort.h"

#include <stdbool.h>
#include <string.h>

#include "radix.h"
#include "report_memory.h"

enum { CACHE_LINE = 64 };

/* Invariant: items[0 .. len) has the index of each element once, in the order of the ranks sorted so far. */
struct sorter {
	size_t len, size;
	uint64_t *numbers; /* of all elements, rank by rank, so that the elements are read once and in order */
	struct radix_item *items, *spare;
};

/* Whether the elements are in order already. */
static bool is_sorted(
	const char *elements, size_t len, size_t size, sort_number *number, unsigned ranks, const void *arg)
{
	for (const char *element = elements + size; element < elements + len * size; element += size) {
		for (unsigned rank = 0; rank < ranks; rank++) {
			uint64_t before = number(element - size, rank, arg), own = number(element, rank, arg);
			if (own < before)
				return false;
			if (own > before)
				break;
		}
	}
	return true;
}

static void read_numbers(
	struct sorter *sorter, const char *elements, sort_number *number, unsigned ranks, const void *arg)
{
	for (size_t i = 0; i < sorter->len; i++) {
		sorter->items[i].at = i;
		for (unsigned rank = 0; rank < ranks; rank++)
			sorter->numbers[rank * sorter->len + i] = number(elements + i * sorter->size, rank, arg);
	}
}

/* Returns false if all numbers are equal. */
static bool differ(const uint64_t *numbers, size_t len)
{
	size_t equal = 1;
	while (equal < len && numbers[equal] == numbers[0])
		equal++;
	return equal < len;
}

static void sort_by(struct sorter *sorter, unsigned rank)
{
	const uint64_t *numbers = sorter->numbers + rank * sorter->len;
	if (!differ(numbers, sorter->len))
		return;
	for (size_t i = 0; i < sorter->len; i++)
		sorter->items[i].number = numbers[sorter->items[i].at];
	struct radix_item *sorted = radix_sort(sorter->items, sorter->spare, sorter->len);
	if (sorted != sorter->items)
		sorter->spare = sorter->items;
	sorter->items = sorted;
}

/* For elements that are no longer than a item: copies each to its place in the spare items, then all of them back. So
 * no load depends on the one before. */
static void move_short(const struct sorter *sorter, char *elements)
{
	char *moved = (char *)sorter->spare;
	for (size_t i = 0; i < sorter->len; i++)
		memcpy(moved + i * sorter->size, elements + sorter->items[i].at * sorter->size, sorter->size);
	memcpy(elements, moved, sorter->len * sorter->size);
}

/* Prefetches the element, which may lie anywhere. */
static void expect(const char *element, size_t size)
{
	for (size_t at = 0; at < size; at += CACHE_LINE)
		__builtin_prefetch(element + at);
}

/* For longer elements: moves each to its place, along the cycles of the permutation. When a place is filled, its item
 * is set to its own index. */
static void move_long(const struct sorter *sorter, char *elements)
{
	struct radix_item *items = sorter->items;
	size_t size = sorter->size;
	char *held = memory_zeroed(1, size);
	for (size_t first = 0; first < sorter->len; first++) {
		size_t to = first, from;
		if (items[first].at == first)
			continue;
		memcpy(held, elements + first * size, size);
		for (; (from = items[to].at) != first; to = from) {
			expect(elements + items[from].at * size, size);
			memcpy(elements + to * size, elements + from * size, size);
			items[to].at = to;
		}
		memcpy(elements + to * size, held, size);
		items[to].at = to;
	}
	memory_free(held);
}

void sort(void *elements, size_t len, size_t size, sort_number *number, unsigned ranks, const void *arg)
{
	if (len < 2 || is_sorted(elements, len, size, number, ranks, arg))
		return;
	struct radix_item *items = memory_zeroed(2 * len, sizeof *items);
	struct sorter sorter = {.len = len, .size = size, .items = items, .spare = items + len};
	sorter.numbers = memory_zeroed(len, ranks * sizeof *sorter.numbers);
	read_numbers(&sorter, elements, number, ranks, arg);
	for (unsigned rank = ranks; rank-- > 0;)
		sort_by(&sorter, rank);
	if (size <= sizeof *sorter.spare)
		move_short(&sorter, elements);
	else
		move_long(&sorter, elements);
	memory_free(sorter.numbers);
	memory_free(items);
}

/* ---- search ---- */

size_t bisect(const void *array, size_t len, uint64_t key, uint64_t (*key_at)(const void *array, size_t index))
{
	size_t low = 0, high = len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (key_at(array, middle) <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

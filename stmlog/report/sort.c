/* SPDX-License-Identifier: MIT
 * A radix sort: by the least of the numbers first, and of each number by its lowest byte first. Each step keeps the
 * order of what is equal to it, so that the last step leaves all in order. The elements themselves are moved once. What
 * is in order already is read only: that takes neither memory nor moves. */
#include "sort.h"

#include <stdbool.h>
#include <string.h>

#include "report_memory.h"

enum { BYTE_VALUES = 256, BYTES = sizeof(uint64_t), CACHE_LINE = 64 };

/* An element, by where it stands, and its number of the present rank. */
struct card {
	uint64_t number;
	size_t at;
};

/* Invariant: as long as the elements are in the order of the ranks done so far, there are no cards: cards == NULL.
 * Otherwise cards[0 .. len) has each element once, in that order. */
struct sorter {
	const char *elements;
	size_t len, size;
	sort_number *number;
	const void *arg;
	struct card *cards, *spare;
	uint64_t *numbers;                 /* of all elements, of the present rank */
	size_t counts[BYTES][BYTE_VALUES]; /* of the present rank: how often each byte has each value */
};

static uint64_t number_of(const struct sorter *sorter, size_t at, unsigned rank)
{
	return sorter->number(sorter->elements + at * sorter->size, rank, sorter->arg);
}

static bool is_ascending(const struct sorter *sorter, unsigned rank)
{
	uint64_t before = 0;
	for (size_t i = 0; i < sorter->len; i++) {
		uint64_t number = number_of(sorter, i, rank);
		if (number < before)
			return false;
		before = number;
	}
	return true;
}

static void make_cards(struct sorter *sorter)
{
	sorter->numbers = memory_zeroed(sorter->len, sizeof *sorter->numbers);
	sorter->cards = memory_zeroed(sorter->len, sizeof *sorter->cards);
	sorter->spare = memory_zeroed(sorter->len, sizeof *sorter->spare);
	for (size_t i = 0; i < sorter->len; i++)
		sorter->cards[i].at = i;
}

static unsigned byte_of(uint64_t number, unsigned byte)
{
	return (unsigned)(number >> 8 * byte) & (BYTE_VALUES - 1);
}

/* Reads the elements one behind the other: afterwards their numbers are picked from a smaller piece of memory. Returns
 * false if all are equal. */
static bool take_numbers(struct sorter *sorter, unsigned rank)
{
	uint64_t differing = 0;
	memset(sorter->counts, 0, sizeof sorter->counts);
	for (size_t i = 0; i < sorter->len; i++) {
		uint64_t number = number_of(sorter, i, rank);
		sorter->numbers[i] = number;
		differing |= number ^ sorter->numbers[0];
		for (unsigned byte = 0; byte < BYTES; byte++)
			sorter->counts[byte][byte_of(number, byte)]++;
	}
	return differing != 0;
}

/* Returns false if the cards are in order already. */
static bool turn_to(struct sorter *sorter, unsigned rank)
{
	uint64_t before = 0;
	bool is_sorted = true;
	if (!take_numbers(sorter, rank))
		return false;
	for (size_t i = 0; i < sorter->len; i++) {
		struct card *card = &sorter->cards[i];
		card->number = sorter->numbers[card->at];
		is_sorted = is_sorted && before <= card->number;
		before = card->number;
	}
	return !is_sorted;
}

/* The cards of each value of the byte go where those of lower values end. */
static void deal(struct sorter *sorter, unsigned byte)
{
	size_t *next = sorter->counts[byte], before = 0;
	for (size_t value = 0; value < BYTE_VALUES; value++) {
		size_t count = next[value];
		next[value] = before;
		before += count;
	}
	for (size_t i = 0; i < sorter->len; i++)
		sorter->spare[next[byte_of(sorter->cards[i].number, byte)]++] = sorter->cards[i];
	struct card *dealt = sorter->spare;
	sorter->spare = sorter->cards;
	sorter->cards = dealt;
}

static void sort_by(struct sorter *sorter, unsigned rank)
{
	if (sorter->cards == NULL && is_ascending(sorter, rank))
		return;
	if (sorter->cards == NULL)
		make_cards(sorter);
	if (!turn_to(sorter, rank))
		return;
	for (unsigned byte = 0; byte < BYTES; byte++) {
		if (sorter->counts[byte][byte_of(sorter->cards[0].number, byte)] != sorter->len)
			deal(sorter, byte);
	}
}

/* The processor begins to load the element, which may lie anywhere. */
static void expect(const char *element, size_t size)
{
	for (size_t at = 0; at < size; at += CACHE_LINE)
		__builtin_prefetch(element + at);
}

/* Moves each element to where its card stands, along the cycles of the permutation. A card whose place was filled
 * names this place. */
static void move(char *elements, size_t len, size_t size, struct card *cards, char *held)
{
	for (size_t first = 0; first < len; first++) {
		size_t to = first, from;
		if (cards[first].at == first)
			continue;
		memcpy(held, elements + first * size, size);
		for (; (from = cards[to].at) != first; to = from) {
			expect(elements + cards[from].at * size, size);
			memcpy(elements + to * size, elements + from * size, size);
			cards[to].at = to;
		}
		memcpy(elements + to * size, held, size);
		cards[to].at = to;
	}
}

static void drop_cards(struct sorter *sorter)
{
	memory_free(sorter->numbers);
	memory_free(sorter->cards);
	memory_free(sorter->spare);
}

void sort(void *elements, size_t len, size_t size, sort_number *number, unsigned ranks, const void *arg)
{
	if (len < 2)
		return;
	struct sorter *sorter = memory_zeroed(1, sizeof *sorter);
	*sorter = (struct sorter){.elements = elements, .len = len, .size = size, .number = number, .arg = arg};
	for (unsigned rank = ranks; rank-- > 0;)
		sort_by(sorter, rank);
	if (sorter->cards != NULL) {
		char *held = memory_zeroed(1, size);
		move(elements, len, size, sorter->cards, held);
		memory_free(held);
	}
	drop_cards(sorter);
	memory_free(sorter);
}

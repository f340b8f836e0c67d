/* SPDX-License-Identifier: MIT
 * A radix sort: by the least of the numbers first, and of each number by its lowest byte first. Each step keeps the
 * order of what is equal to it, so that the last step leaves all in order. The elements themselves are moved once. */
#include "sort.h"

#include <stdbool.h>
#include <string.h>

#include "report_memory.h"

enum { BYTE_VALUES = 256, BYTES = sizeof(uint64_t) };

/* An element, by where it stands, and its number of the present rank. */
struct card {
	uint64_t number;
	size_t at;
};

/* Invariant: cards[0 .. len) has each element once, in the order of the ranks done so far. */
struct sorter {
	size_t len;
	uint64_t *numbers; /* of all elements, rank by rank: so that the elements are read once, one behind the other */
	struct card *cards, *spare;
	size_t counts[BYTES][BYTE_VALUES]; /* of the present rank: how often each byte has each value */
};

static void take_numbers(
	struct sorter *sorter, const char *elements, size_t size, sort_number *number, unsigned ranks, const void *arg)
{
	for (size_t i = 0; i < sorter->len; i++) {
		sorter->cards[i].at = i;
		for (unsigned rank = 0; rank < ranks; rank++)
			sorter->numbers[rank * sorter->len + i] = number(elements + i * size, rank, arg);
	}
}

static unsigned byte_of(const struct card *card, unsigned byte)
{
	return (unsigned)(card->number >> 8 * byte) & (BYTE_VALUES - 1);
}

/* Returns false if the cards are in order already. */
static bool turn_to(struct sorter *sorter, unsigned rank)
{
	const uint64_t *numbers = sorter->numbers + rank * sorter->len;
	bool is_sorted = true;
	memset(sorter->counts, 0, sizeof sorter->counts);
	for (size_t i = 0; i < sorter->len; i++) {
		struct card *card = &sorter->cards[i];
		card->number = numbers[card->at];
		is_sorted = is_sorted && (i == 0 || card[-1].number <= card->number);
		for (unsigned byte = 0; byte < BYTES; byte++)
			sorter->counts[byte][byte_of(card, byte)]++;
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
		sorter->spare[next[byte_of(&sorter->cards[i], byte)]++] = sorter->cards[i];
	struct card *dealt = sorter->spare;
	sorter->spare = sorter->cards;
	sorter->cards = dealt;
}

static void sort_by(struct sorter *sorter, unsigned rank)
{
	if (!turn_to(sorter, rank))
		return;
	for (unsigned byte = 0; byte < BYTES; byte++) {
		if (sorter->counts[byte][byte_of(&sorter->cards[0], byte)] != sorter->len)
			deal(sorter, byte);
	}
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
			memcpy(elements + to * size, elements + from * size, size);
			cards[to].at = to;
		}
		memcpy(elements + to * size, held, size);
		cards[to].at = to;
	}
}

void sort(void *elements, size_t len, size_t size, sort_number *number, unsigned ranks, const void *arg)
{
	if (len < 2)
		return;
	struct sorter *sorter = memory_zeroed(1, sizeof *sorter);
	struct card *cards = memory_zeroed(2 * len, sizeof *cards);
	char *held = memory_zeroed(1, size);
	sorter->len = len;
	sorter->numbers = memory_zeroed(len, ranks * sizeof *sorter->numbers);
	sorter->cards = cards;
	sorter->spare = cards + len;
	take_numbers(sorter, elements, size, number, ranks, arg);
	for (unsigned rank = ranks; rank-- > 0;)
		sort_by(sorter, rank);
	move(elements, len, size, sorter->cards, held);
	memory_free(sorter->numbers);
	memory_free(held);
	memory_free(cards);
	memory_free(sorter);
}

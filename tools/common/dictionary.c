/* SPDX-License-Identifier: MIT */
#include "dictionary.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "memory.h"
#include "sort.h"

/* ---- the hash table ---- */

/* Hashes eight bytes at a time by a multiplication, of whose 128 bits each depends on the bytes or on the random
 * number. */

static uint64_t seed(void)
{
	static uint64_t chosen;
	static bool is_chosen;
	if (!is_chosen && getrandom(&chosen, sizeof chosen, GRND_NONBLOCK) < 0)
		chosen = (uintptr_t)&chosen;
	is_chosen = true;
	return chosen;
}

static uint64_t mix(uint64_t hash, uint64_t more, uint64_t factor)
{
	unsigned __int128 product = (unsigned __int128)(hash ^ more) * (factor | 1);
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t hash_of(const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	uint64_t random = seed(), hash = random + len, word;
	for (; len >= sizeof word; at += sizeof word, len -= sizeof word) {
		memcpy(&word, at, sizeof word);
		hash = mix(hash, word, random ^ 0x9e3779b97f4a7c15u);
	}
	word = 0;
	memcpy(&word, at, len);
	return mix(mix(hash, word, random ^ 0x9e3779b97f4a7c15u), random, 0xd6e8feb86659fd93u);
}

static void widen(struct hash_slots *slots, size_t len)
{
	struct hash_slots before = *slots;
	*slots = (struct hash_slots){memory_zeroed(len, sizeof *slots->at), len};
	for (size_t i = 0; i < before.len; i++) {
		size_t at = before.at[i].hash & (len - 1);
		if (before.at[i].number_plus_1 == 0)
			continue;
		while (slots->at[at].number_plus_1 != 0)
			at = (at + 1) & (len - 1);
		slots->at[at] = before.at[i];
	}
	free(before.at);
}

void hash_slots_reserve(struct hash_slots *slots, size_t count)
{
	size_t len = slots->len != 0 ? slots->len : 64;
	while (4 * count > 3 * len)
		len *= 2;
	if (len != slots->len)
		widen(slots, len);
}

void hash_slots_fini(struct hash_slots *slots)
{
	free(slots->at);
	*slots = (struct hash_slots){NULL, 0};
}

/* ---- texts ---- */

static struct dictionary_entry *entry_of(const char *text, size_t len, uint64_t number)
{
	struct dictionary_entry *entry = memory_zeroed(1, sizeof *entry + len + 1);
	entry->number = number;
	memcpy(entry->text, text, len);
	return entry;
}

struct wanted {
	const struct dictionary *dictionary;
	const char *text;
};

static bool is_text(const void *arg, size_t number)
{
	const struct wanted *wanted = arg;
	return strcmp(wanted->dictionary->entries[number]->text, wanted->text) == 0;
}

static struct dictionary_entry *dictionary_add(struct dictionary *dictionary, const char *text, size_t len)
{
	struct dictionary_entry *entry = entry_of(text, len, dictionary->len + 1);
	dictionary->entries =
		memory_grown(dictionary->entries, dictionary->len, &dictionary->cap, sizeof(struct dictionary_entry *));
	dictionary->entries[dictionary->len++] = entry;
	return entry;
}

const struct dictionary_entry *dictionary_find(struct dictionary *dictionary, const char *text)
{
	size_t len = strlen(text);
	uint32_t hash = (uint32_t)hash_of(text, len);
	if (dictionary->len == UINT32_MAX - 1)
		memory_end();
	hash_slots_reserve(&dictionary->slots, dictionary->len + 1);
	struct hash_slot *slot = hash_slots_find(&dictionary->slots, hash, is_text, &(struct wanted){dictionary, text});
	bool is_new = slot->number_plus_1 == 0;
	if (is_new)
		*slot = (struct hash_slot){hash, (uint32_t)dictionary_add(dictionary, text, len)->number};
	struct dictionary_entry *entry = dictionary->entries[slot->number_plus_1 - 1];
	entry->is_new = is_new;
	return entry;
}

void dictionary_fini(struct dictionary *dictionary)
{
	for (size_t i = 0; i < dictionary->len; i++)
		free(dictionary->entries[i]);
	free(dictionary->entries);
	hash_slots_fini(&dictionary->slots);
	*dictionary = (struct dictionary){.len = 0};
}

/* ---- ranks of numbers ---- */

enum { FIRST_SORT = 4096 };

static int compare_numbers(const void *a, const void *b)
{
	return sort_numbers(*(const uint64_t *)a, *(const uint64_t *)b);
}

void ranks_sort(struct ranks *ranks)
{
	size_t kept = 0;
	if (ranks->len > 0)
		qsort(ranks->numbers, ranks->len, sizeof *ranks->numbers, compare_numbers);
	for (size_t i = 0; i < ranks->len; i++)
		if (kept == 0 || ranks->numbers[kept - 1] != ranks->numbers[i])
			ranks->numbers[kept++] = ranks->numbers[i];
	ranks->len = kept;
	ranks->max = 0;
}

/* Sorted whenever there are twice as many numbers as were distinct the last time. */
void ranks_add(struct ranks *ranks, uint64_t number)
{
	if (ranks->len > 0 && ranks->numbers[ranks->len - 1] == number)
		return;
	ranks->numbers = memory_grown(ranks->numbers, ranks->len, &ranks->cap, sizeof *ranks->numbers);
	ranks->numbers[ranks->len++] = number;
	if (ranks->max == 0)
		ranks->max = FIRST_SORT;
	if (ranks->len < ranks->max)
		return;
	ranks_sort(ranks);
	ranks->max = 2 * ranks->len > FIRST_SORT ? 2 * ranks->len : FIRST_SORT;
}

static uint64_t number_at(const void *numbers, size_t index)
{
	return ((const uint64_t *)numbers)[index];
}

size_t ranks_find(const struct ranks *ranks, uint64_t number)
{
	REQUIRES(ranks->max == 0);
	size_t up_to = bisect(ranks->numbers, ranks->len, number, number_at);
	return up_to > 0 && ranks->numbers[up_to - 1] == number ? up_to - 1 : RANKS_NONE;
}

void ranks_fini(struct ranks *ranks)
{
	free(ranks->numbers);
	*ranks = (struct ranks){.numbers = NULL};
}

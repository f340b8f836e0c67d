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

/* ---- distinct pieces of bytes ---- */

static size_t unique_len_of(const struct unique *unique, size_t number)
{
	size_t end = number + 1 < unique->count ? unique->at[number + 1] : unique->len;
	return end - unique->at[number];
}

struct wanted_piece {
	const struct unique *unique;
	const void *piece;
	size_t len;
};

static bool is_same_piece(const void *arg, size_t number)
{
	const struct wanted_piece *wanted = arg;
	return unique_len_of(wanted->unique, number) == wanted->len &&
	       memcmp(wanted->unique->bytes + wanted->unique->at[number], wanted->piece, wanted->len) == 0;
}

static void unique_append(struct unique *unique, const void *piece, size_t len)
{
	/* References within a file have 32 bits. */
	if (len > UINT32_MAX - unique->len || unique->count == UINT32_MAX - 1)
		memory_end();
	while (unique->cap - unique->len < len)
		unique->bytes = memory_grown(unique->bytes, unique->cap, &unique->cap, 1);
	unique->at = memory_grown(unique->at, unique->count, &unique->at_cap, sizeof *unique->at);
	unique->at[unique->count++] = unique->len;
	memcpy(unique->bytes + unique->len, piece, len);
	unique->len += len;
}

uint32_t unique_prefetch(const struct unique *unique, const void *piece, size_t len)
{
	uint32_t hash = (uint32_t)hash_of(piece, len);
	if (unique->slots.len != 0)
		__builtin_prefetch(&unique->slots.at[hash & (unique->slots.len - 1)]);
	return hash;
}

size_t unique_find_prefetched(struct unique *unique, const void *piece, size_t len, uint32_t hash)
{
	hash_slots_reserve(&unique->slots, unique->count + 1);
	struct hash_slot *slot =
		hash_slots_find(&unique->slots, hash, is_same_piece, &(struct wanted_piece){unique, piece, len});
	if (slot->number_plus_1 == 0) {
		unique_append(unique, piece, len);
		*slot = (struct hash_slot){hash, (uint32_t)unique->count};
	}
	return slot->number_plus_1 - 1;
}

size_t unique_find(struct unique *unique, const void *piece, size_t len)
{
	return unique_find_prefetched(unique, piece, len, (uint32_t)hash_of(piece, len));
}

void unique_reserve(struct unique *unique, size_t count, size_t len)
{
	hash_slots_reserve(&unique->slots, count);
	unique->bytes = memory_reserved(unique->bytes, len, &unique->cap, 1);
	unique->at = memory_reserved(unique->at, count, &unique->at_cap, sizeof *unique->at);
}

void unique_fini(struct unique *unique)
{
	free(unique->bytes);
	free(unique->at);
	hash_slots_fini(&unique->slots);
	*unique = (struct unique){0};
}

/* ---- records by key ---- */

size_t keyed_find_prefetched(struct keyed *keyed, const void *key, size_t len, uint32_t hash, bool *is_new)
{
	size_t before = keyed_count(keyed), number = unique_find_prefetched(&keyed->keys, key, len, hash);
	*is_new = number == before;
	if (*is_new) {
		keyed->records = memory_grown(keyed->records, number, &keyed->cap, keyed->size);
		memset(keyed_at(keyed, number), 0, keyed->size);
	}
	return number;
}

void *keyed_find(struct keyed *keyed, const void *key, size_t len, bool *is_new)
{
	uint32_t hash = unique_prefetch(&keyed->keys, key, len);
	return keyed_at(keyed, keyed_find_prefetched(keyed, key, len, hash, is_new));
}

void keyed_reserve(struct keyed *keyed, size_t count, size_t key_len)
{
	unique_reserve(&keyed->keys, count, count * key_len);
	keyed->records = memory_reserved(keyed->records, count, &keyed->cap, keyed->size);
}

void keyed_fini(struct keyed *keyed)
{
	unique_fini(&keyed->keys);
	free(keyed->records);
	keyed->records = NULL;
	keyed->cap = 0;
}

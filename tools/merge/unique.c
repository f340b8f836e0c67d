/* SPDX-License-Identifier: MIT */
#include "unique.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "memory.h"

static size_t length_of(const struct unique *unique, size_t number)
{
	size_t end = number + 1 < unique->count ? unique->at[number + 1] : unique->len;
	return end - unique->at[number];
}

static bool is_same(const struct unique *unique, size_t number, const void *piece, size_t len)
{
	return length_of(unique, number) == len && memcmp(unique->bytes + unique->at[number], piece, len) == 0;
}

static struct unique_slot *free_slot_of(const struct unique *unique, uint32_t hash)
{
	size_t mask = unique->slot_count - 1, at = hash & mask;
	while (unique->slots[at].number_plus_1 != 0)
		at = (at + 1) & mask;
	return &unique->slots[at];
}

/* The slot of the piece, or the free slot for it. */
static struct unique_slot *slot_of(const struct unique *unique, const void *piece, size_t len, uint32_t hash)
{
	size_t mask = unique->slot_count - 1, at = hash & mask;
	for (; unique->slots[at].number_plus_1 != 0; at = (at + 1) & mask) {
		const struct unique_slot *slot = &unique->slots[at];
		if (slot->hash == hash && is_same(unique, slot->number_plus_1 - 1, piece, len))
			break;
	}
	return &unique->slots[at];
}

static void widen(struct unique *unique, size_t slot_count)
{
	struct unique_slot *slots = unique->slots;
	size_t before = unique->slot_count;
	unique->slot_count = slot_count;
	unique->slots = memory_zeroed(slot_count, sizeof *unique->slots);
	for (size_t i = 0; i < before; i++)
		if (slots[i].number_plus_1 != 0)
			*free_slot_of(unique, slots[i].hash) = slots[i];
	free(slots);
}

/* So many slots that at most three quarters of them are not free with `count` pieces. */
static void have_slots(struct unique *unique, size_t count)
{
	size_t slot_count = unique->slot_count != 0 ? unique->slot_count : 64;
	while (4 * count > 3 * slot_count)
		slot_count *= 2;
	if (slot_count != unique->slot_count)
		widen(unique, slot_count);
}

static void append(struct unique *unique, const void *piece, size_t len)
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

uint32_t unique_expect(const struct unique *unique, const void *piece, size_t len)
{
	uint32_t hash = (uint32_t)hash_of(piece, len);
	if (unique->slot_count != 0)
		__builtin_prefetch(&unique->slots[hash & (unique->slot_count - 1)]);
	return hash;
}

size_t unique_find_expected(struct unique *unique, const void *piece, size_t len, uint32_t hash)
{
	have_slots(unique, unique->count + 1);
	struct unique_slot *slot = slot_of(unique, piece, len, hash);
	if (slot->number_plus_1 == 0) {
		append(unique, piece, len);
		*slot = (struct unique_slot){hash, (uint32_t)unique->count};
	}
	return slot->number_plus_1 - 1;
}

size_t unique_find(struct unique *unique, const void *piece, size_t len)
{
	return unique_find_expected(unique, piece, len, (uint32_t)hash_of(piece, len));
}

void unique_reserve(struct unique *unique, size_t count, size_t len)
{
	have_slots(unique, count);
	unique->bytes = memory_reserved(unique->bytes, len, &unique->cap, 1);
	unique->at = memory_reserved(unique->at, count, &unique->at_cap, sizeof *unique->at);
}

void unique_fini(struct unique *unique)
{
	free(unique->bytes);
	free(unique->at);
	free(unique->slots);
	*unique = (struct unique){0};
}

/* ---- records by key ---- */

size_t keyed_find_expected(struct keyed *keyed, const void *key, size_t len, uint32_t hash, bool *is_new)
{
	size_t before = keyed_count(keyed), number = unique_find_expected(&keyed->keys, key, len, hash);
	*is_new = number == before;
	if (*is_new) {
		keyed->records = memory_grown(keyed->records, number, &keyed->cap, keyed->size);
		memset(keyed_at(keyed, number), 0, keyed->size);
	}
	return number;
}

void *keyed_find(struct keyed *keyed, const void *key, size_t len, bool *is_new)
{
	uint32_t hash = unique_expect(&keyed->keys, key, len);
	return keyed_at(keyed, keyed_find_expected(keyed, key, len, hash, is_new));
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

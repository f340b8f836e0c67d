/* SPDX-License-Identifier: MIT */
#include "unique.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

static size_t length_of(const struct unique *unique, size_t number)
{
	size_t end = number + 1 < unique->count ? unique->at[number + 1] : unique->len;
	return end - unique->at[number];
}

struct wanted {
	const struct unique *unique;
	const void *piece;
	size_t len;
};

static bool is_same(const void *arg, size_t number)
{
	const struct wanted *wanted = arg;
	return length_of(wanted->unique, number) == wanted->len &&
	       memcmp(wanted->unique->bytes + wanted->unique->at[number], wanted->piece, wanted->len) == 0;
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
	struct hash_slot *slot = hash_slots_find(&unique->slots, hash, is_same, &(struct wanted){unique, piece, len});
	if (slot->number_plus_1 == 0) {
		append(unique, piece, len);
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

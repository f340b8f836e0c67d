/* SPDX-License-Identifier: MIT */
#include "unique.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "memory.h"

static uint64_t hash_of(const struct unique *unique, const uint8_t *piece, size_t len)
{
	uint64_t hash = unique->seed;
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ piece[i]) * 0x100000001b3u;
	hash = (hash ^ (hash >> 32)) * 0x9e3779b97f4a7c15u;
	return hash ^ (hash >> 29);
}

static size_t length_of(const struct unique *unique, size_t number)
{
	size_t end = number + 1 < unique->count ? unique->at[number + 1] : unique->len;
	return end - unique->at[number];
}

static bool is_same(const struct unique *unique, size_t number, const void *piece, size_t len)
{
	return length_of(unique, number) == len && memcmp(unique->bytes + unique->at[number], piece, len) == 0;
}

/* The slot of the piece, or the free slot for it. */
static uint32_t *slot_of(const struct unique *unique, const void *piece, size_t len)
{
	size_t mask = unique->slot_count - 1;
	size_t at = (size_t)hash_of(unique, piece, len) & mask;
	while (unique->slots[at] != 0 && !is_same(unique, unique->slots[at] - 1, piece, len))
		at = (at + 1) & mask;
	return &unique->slots[at];
}

static void widen(struct unique *unique)
{
	if (unique->slot_count == 0 && getrandom(&unique->seed, sizeof unique->seed, GRND_NONBLOCK) < 0)
		unique->seed = (uintptr_t)unique;
	free(unique->slots);
	unique->slot_count = unique->slot_count != 0 ? 2 * unique->slot_count : 64;
	unique->slots = memory_zeroed(unique->slot_count, sizeof *unique->slots);
	for (size_t i = 0; i < unique->count; i++)
		*slot_of(unique, unique->bytes + unique->at[i], length_of(unique, i)) = (uint32_t)i + 1;
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

size_t unique_find(struct unique *unique, const void *piece, size_t len)
{
	if (4 * (unique->count + 1) > 3 * unique->slot_count)
		widen(unique);
	uint32_t *slot = slot_of(unique, piece, len);
	if (*slot == 0) {
		append(unique, piece, len);
		*slot = (uint32_t)unique->count;
	}
	return *slot - 1;
}

void unique_fini(struct unique *unique)
{
	free(unique->bytes);
	free(unique->at);
	free(unique->slots);
	*unique = (struct unique){0};
}

/* ---- records by key ---- */

void *keyed_find(struct keyed *keyed, const void *key, size_t len, bool *is_new)
{
	size_t before = keyed_count(keyed), number = unique_find(&keyed->keys, key, len);
	*is_new = number == before;
	if (*is_new)
		keyed->records = memory_grown(keyed->records, number, &keyed->cap, keyed->size);
	char *record = (char *)keyed->records + number * keyed->size;
	if (*is_new)
		memset(record, 0, keyed->size);
	return record;
}

void keyed_fini(struct keyed *keyed)
{
	unique_fini(&keyed->keys);
	free(keyed->records);
	keyed->records = NULL;
	keyed->cap = 0;
}

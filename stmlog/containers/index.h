/* SPDX-License-Identifier: MIT
 *
 * From a 64-bit hash to the items that have it: an open-addressing table with
 * linear probing. A plain data structure; what the items are, and whether two of
 * the same hash are the same, is the caller's affair.
 *
 * Invariants: size is a power of two, at least twice the capacity, so that every
 * probe ends; every used slot is reached from its home without passing a free one.
 */
#ifndef STMLOG_INDEX_H
#define STMLOG_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct index_slot {
	uint64_t hash;
	uint32_t item_plus_1; /* 0: free */
};

struct index {
	struct index_slot *slot;
	uint32_t size;
};

/* The caller hands in that much memory, aligned to 8 and zeroed, and keeps it alive. */
size_t index_storage_size(uint32_t capacity);
void index_init(struct index *index, uint32_t capacity, void *storage);

/* Requires: fewer than `capacity` items are in it, this one not among them. */
void index_add(struct index *index, uint64_t hash, uint32_t item);

/* Requires: the item is in it, under this hash. */
void index_remove(struct index *index, uint64_t hash, uint32_t item);

void index_clear(struct index *index);

/* Enumerates the items of a hash:
 * cursor = index_find(...); while (index_next(&cursor, &item)) ... */
struct index_cursor {
	const struct index *index;
	uint64_t hash;
	uint32_t at;
};
struct index_cursor index_find(const struct index *index, uint64_t hash);
bool index_next(struct index_cursor *cursor, uint32_t *item);

#endif

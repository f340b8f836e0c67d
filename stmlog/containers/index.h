/* SPDX-License-Identifier: MIT
 *
 * A hash table from 64-bit hashes to items, with open addressing and linear probing.
 * A plain data structure. It knows only the hashes: the caller compares the items.
 *
 * Invariants: size is a power of two, at least twice the capacity, so that every
 * probe ends; between the home of a used slot and the slot itself no slot is free.
 */
#ifndef STMLOG_INDEX_H
#define STMLOG_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/traceback.h>

struct index_slot {
	uint64_t hash;
	uint32_t item_plus_1; /* 0: free */
};

struct index {
	struct index_slot *slot;
	uint32_t size;
};

/* The caller provides `storage` of index_storage_size() bytes, zeroed and aligned to 8, for as long as the index is
 * used. */
size_t index_storage_size(uint32_t capacity);
void index_init(struct index *index, uint32_t capacity, void *storage);

/* Requires: the index has fewer than `capacity` items, and not this item under this hash. */
void index_add(struct index *index, uint64_t hash, uint32_t item);

/* Requires: the index has the item, under this hash. */
void index_remove(struct index *index, uint64_t hash, uint32_t item);

void index_clear(struct index *index);

/* Enumerates the items of a hash. A cursor is valid until the index changes.
 * cursor = index_find(...); while (index_next(&cursor, &item)) ... */
struct index_cursor {
	const struct index *index;
	uint64_t hash;
	uint32_t at;
};
struct index_cursor index_find(const struct index *index, uint64_t hash);
bool index_next(struct index_cursor *cursor, uint32_t *item);

/* ---- sites as keys ----
 *
 * Compares and hashes sites as keys of tables, by their two words. Their names play no part. */

static inline bool site_is_same(struct tb_site a, struct tb_site b)
{
	return a.code == b.code && a.position == b.position;
}

/* The upper 32 bits are spread better than the lower ones. */
static inline uint64_t site_hash(struct tb_site site)
{
	return (site.code * 0x9e3779b97f4a7c15u ^ site.position) * 0xbf58476d1ce4e5b9u;
}

#endif

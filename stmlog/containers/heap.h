/* SPDX-License-Identifier: MIT
 *
 * A bounded priority queue of pairs (key, item), lowest key on top. The key of any item can be raised in place. A plain
 * data structure.
 *
 * It is a tournament tree: each item has a leaf of its own, and each inner node is a copy of that of its two children
 * whose key is lower. So a change of an item's key changes the nodes on the way from its leaf to the top, and no
 * others. The way does not depend on keys: so the processor loads its nodes all at once, and mispredicts no branch.
 *
 * Invariants: size is 0 or a power of two, capacity <= size; the leaf of an item is node[size + item]; node[1] is the
 * top, and for 0 < i < size, node[i] is a copy of node[2 * i] or node[2 * i + 1], of which it is the one with the lower
 * key, or either if the keys are equal; len leaves have an item. Nodes store the complement of the key, `merit`, which
 * is 0 in nodes without an item.
 */
#ifndef STMLOG_HEAP_H
#define STMLOG_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check.h"

struct heap_node {
	uint64_t merit; /* ~key: so zeroed memory has no items */
	uint32_t item;
};

struct heap {
	struct heap_node *node;
	uint32_t len;
	uint32_t capacity;
	uint32_t size;
};

/* The caller provides `storage` of heap_storage_size() zeroed bytes, aligned to 8, for as long as the heap is used. */
size_t heap_storage_size(uint32_t capacity);
void heap_init(struct heap *heap, uint32_t capacity, void *storage);

static inline uint32_t heap_len(const struct heap *heap)
{
	return heap->len;
}

/* Requires: len < capacity, the item is below the capacity and not in the heap, and key < UINT64_MAX. */
void heap_push(struct heap *heap, uint64_t key, uint32_t item);

/* The lowest key, and its item. Both require: len > 0. */
static inline uint64_t heap_min_key(const struct heap *heap)
{
	REQUIRES(heap->len > 0);
	return ~heap->node[1].merit;
}

static inline uint32_t heap_min_item(const struct heap *heap)
{
	REQUIRES(heap->len > 0);
	return heap->node[1].item;
}

/* Raises the key of the lowest item. Requires: len > 0, and `key` is not below its present key, and < UINT64_MAX. */
void heap_replace_min(struct heap *heap, uint64_t key);

/* Raises the key of an item. Requires: the item is in the heap, and `key` is not below its present key, and
 * < UINT64_MAX. */
void heap_raise(struct heap *heap, uint32_t item, uint64_t key);

/* Removes all items. Takes time proportional to the capacity. */
void heap_clear(struct heap *heap);

/* Whether the invariants hold. Walks all nodes. */
bool heap_is_valid(const struct heap *heap);

#endif

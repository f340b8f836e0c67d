/* SPDX-License-Identifier: MIT
 *
 * A bounded binary heap of pairs (key, item), lowest key on top. The key of any item
 * can be raised in place. A plain data structure.
 *
 * Invariants: len <= capacity; items are distinct and below capacity; no node has a
 * lower key than its parent; place[node[i].item] == i for each i < len.
 */
#ifndef STMLOG_HEAP_H
#define STMLOG_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check.h"

struct heap_node {
	uint64_t key;
	uint32_t item;
};

struct heap {
	struct heap_node *node;
	uint32_t *place; /* of each item */
	uint32_t len;
	uint32_t capacity;
};

/* The caller provides `storage` of heap_storage_size() bytes, aligned to 8, for as long as the heap is used. */
size_t heap_storage_size(uint32_t capacity);
void heap_init(struct heap *heap, uint32_t capacity, void *storage);

static inline uint32_t heap_len(const struct heap *heap)
{
	return heap->len;
}

/* Requires: len < capacity, and the item is not in the heap. */
void heap_push(struct heap *heap, uint64_t key, uint32_t item);

/* Both require: len > 0. */
static inline uint64_t heap_min_key(const struct heap *heap)
{
	REQUIRES(heap->len > 0);
	return heap->node[0].key;
}

static inline uint32_t heap_min_item(const struct heap *heap)
{
	REQUIRES(heap->len > 0);
	return heap->node[0].item;
}

/* Raises the key of the lowest item. Requires: len > 0, and `key` is not below its present key. */
void heap_replace_min(struct heap *heap, uint64_t key);

/* Raises the key of an item. Requires: the item is in the heap, and `key` is not below its present key. */
void heap_raise(struct heap *heap, uint32_t item, uint64_t key);

static inline void heap_clear(struct heap *heap)
{
	heap->len = 0;
}

/* Whether the invariants hold. Walks all nodes. */
bool heap_is_valid(const struct heap *heap);

#endif

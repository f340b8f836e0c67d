/* SPDX-License-Identifier: MIT
 *
 * A bounded binary heap of (key, item), lowest key on top, in which the key of any
 * item can be raised where it stands. A plain data structure.
 *
 * Invariants: len <= capacity; items are distinct and below capacity; no node has a
 * lower key than its parent; place[node[i].item] == i for each i < len.
 */
#ifndef STMLOG_HEAP_H
#define STMLOG_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* The caller hands in that much memory, aligned to 8, and keeps it alive. */
size_t heap_storage_size(uint32_t capacity);
void heap_init(struct heap *heap, uint32_t capacity, void *storage);

static inline uint32_t heap_len(const struct heap *heap)
{
	return heap->len;
}

/* Requires: len < capacity, and the item is not in the heap. */
void heap_push(struct heap *heap, uint64_t key, uint32_t item);

/* Requires: len > 0. */
static inline uint64_t heap_min_key(const struct heap *heap)
{
	return heap->node[0].key;
}

static inline uint32_t heap_min_item(const struct heap *heap)
{
	return heap->node[0].item;
}

/* Gives the lowest item another key, not below its own. Requires: len > 0. */
void heap_replace_min(struct heap *heap, uint64_t key);

/* Gives an item that is in the heap another key, not below its own. */
void heap_raise(struct heap *heap, uint32_t item, uint64_t key);

static inline void heap_clear(struct heap *heap)
{
	heap->len = 0;
}

/* Walks all of it and checks the invariants. */
bool heap_is_valid(const struct heap *heap);

#endif

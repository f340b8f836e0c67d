/* SPDX-License-Identifier: MIT
 * The binary heap: sifting up and down, and the check of its invariants. */
#include "heap.h"

#include "check.h"

size_t heap_storage_size(uint32_t capacity)
{
	return capacity * (sizeof(struct heap_node) + sizeof(uint32_t));
}

void heap_init(struct heap *heap, uint32_t capacity, void *storage)
{
	heap->node = storage;
	heap->place = (uint32_t *)(void *)(heap->node + capacity);
	heap->len = 0;
	heap->capacity = capacity;
}

static void put(struct heap_node *nodes, uint32_t *place, uint32_t at, struct heap_node node)
{
	nodes[at] = node;
	place[node.item] = at;
}

/* In both walks `nodes`, `place` and `len` are locals. The compiler must assume that put() writes to the struct's own
 * fields, and would load these again on each level. */

/* Settles `node` at `at` or above it. */
static void float_up(struct heap *heap, uint32_t at, struct heap_node node)
{
	struct heap_node *nodes = heap->node;
	uint32_t *place = heap->place;
	while (at > 0) {
		uint32_t parent = (at - 1) / 2;
		if (nodes[parent].key <= node.key)
			break;
		put(nodes, place, at, nodes[parent]);
		at = parent;
	}
	put(nodes, place, at, node);
}

/* Settles `node` at `at` or below it. The lower of two children is chosen by arithmetic, because a branch would be
 * mispredicted half of the time. (To follow the lower children to the bottom first, and float up from there, takes a
 * fifth to a third more time: the end of the walk is easy to predict.) */
static void sink(struct heap *heap, uint32_t at, struct heap_node node)
{
	struct heap_node *nodes = heap->node;
	uint32_t *place = heap->place;
	uint32_t len = heap->len;
	for (uint32_t child; (child = 2 * at + 1) < len; at = child) {
		child += child + 1 < len && nodes[child + 1].key < nodes[child].key;
		if (nodes[child].key >= node.key)
			break;
		put(nodes, place, at, nodes[child]);
	}
	put(nodes, place, at, node);
}

/* The walk over a large heap would cost tests more than it tells. */
#define is_large(heap) ((heap)->len > 32)

void heap_push(struct heap *heap, uint64_t key, uint32_t item)
{
	REQUIRES(heap->len < heap->capacity);
	float_up(heap, heap->len++, (struct heap_node){key, item});
	ENSURES(is_large(heap) || heap_is_valid(heap));
}

void heap_replace_min(struct heap *heap, uint64_t key)
{
	REQUIRES(heap->len > 0 && key >= heap->node[0].key);
	sink(heap, 0, (struct heap_node){key, heap->node[0].item});
	ENSURES(is_large(heap) || heap_is_valid(heap));
}

void heap_raise(struct heap *heap, uint32_t item, uint64_t key)
{
	REQUIRES(heap->place[item] < heap->len && key >= heap->node[heap->place[item]].key);
	sink(heap, heap->place[item], (struct heap_node){key, item});
	ENSURES(is_large(heap) || heap_is_valid(heap));
}

bool heap_is_valid(const struct heap *heap)
{
	if (heap->len > heap->capacity)
		return false;
	for (uint32_t i = 0; i < heap->len; i++) {
		const struct heap_node *node = &heap->node[i];
		if (node->item >= heap->capacity || heap->place[node->item] != i)
			return false;
		if (i > 0 && heap->node[(i - 1) / 2].key > node->key)
			return false;
	}
	return true;
}

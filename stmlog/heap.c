/* SPDX-License-Identifier: MIT */
#include "heap.h"

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

static void put(struct heap *heap, uint32_t at, struct heap_node node)
{
	heap->node[at] = node;
	heap->place[node.item] = at;
}

/* Settles `node` at `at` or above it. */
static void float_up(struct heap *heap, uint32_t at, struct heap_node node)
{
	while (at > 0) {
		uint32_t parent = (at - 1) / 2;
		if (heap->node[parent].key <= node.key)
			break;
		put(heap, at, heap->node[parent]);
		at = parent;
	}
	put(heap, at, node);
}

/* Settles `node` at `at` or below it. The lower of two children is chosen by arithmetic: which one it
 * is cannot be predicted. */
static void sink(struct heap *heap, uint32_t at, struct heap_node node)
{
	for (uint32_t child; (child = 2 * at + 1) < heap->len; at = child) {
		child += child + 1 < heap->len && heap->node[child + 1].key < heap->node[child].key;
		if (heap->node[child].key >= node.key)
			break;
		put(heap, at, heap->node[child]);
	}
	put(heap, at, node);
}

void heap_push(struct heap *heap, uint64_t key, uint32_t item)
{
	float_up(heap, heap->len++, (struct heap_node){key, item});
}

void heap_replace_min(struct heap *heap, uint64_t key)
{
	sink(heap, 0, (struct heap_node){key, heap->node[0].item});
}

void heap_raise(struct heap *heap, uint32_t item, uint64_t key)
{
	sink(heap, heap->place[item], (struct heap_node){key, item});
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

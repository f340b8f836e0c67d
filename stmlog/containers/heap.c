/* SPDX-License-Identifier: MIT
 * Implements the tournament tree: its changes walk from a leaf to the top. Checks its invariants.
 *
 * Rejected: a binary heap whose items sift down. The processor cannot predict where an item stops, and each level waits
 * for the level above: with 1,024 items a change took 28 ns instead of 11. */
#include "heap.h"

#include <string.h>

#include "check.h"

static uint32_t size_for(uint32_t capacity)
{
	uint32_t size = capacity > 0;
	while (size < capacity)
		size *= 2;
	return size;
}

size_t heap_storage_size(uint32_t capacity)
{
	return 2 * (size_t)size_for(capacity) * sizeof(struct heap_node);
}

void heap_init(struct heap *heap, uint32_t capacity, void *storage)
{
	heap->node = storage;
	heap->len = 0;
	heap->capacity = capacity;
	heap->size = size_for(capacity);
}

/* Returns the node of higher merit, without a branch, which would be mispredicted half of the time. The empty statement
 * forces b.item into a register before the choice: otherwise clang would make a branch around its load. */
static inline struct heap_node higher(struct heap_node a, struct heap_node b)
{
	bool is_b = b.merit > a.merit;
	__asm__("" : "+r"(b.item));
	a.merit = is_b ? b.merit : a.merit;
	a.item = is_b ? b.item : a.item;
	return a;
}

/* Plays all matches from the item's leaf to the top, that is, each node on the way becomes its child of higher merit.
 * The winner of a match stays in registers for the next match. */
static inline void play_all(struct heap *heap, struct heap_node winner)
{
	struct heap_node *nodes = heap->node;
	size_t at = heap->size + winner.item;
	nodes[at] = winner;
	for (; at > 1; at /= 2) {
		winner = higher(winner, nodes[at ^ 1]);
		nodes[at / 2].merit = winner.merit;
		nodes[at / 2].item = winner.item;
	}
}

/* Large heaps are not checked, because tests would take too long. */
#define is_large(heap) ((heap)->len > 32)

void heap_push(struct heap *heap, uint64_t key, uint32_t item)
{
	REQUIRES(heap->len < heap->capacity && item < heap->capacity && key < UINT64_MAX);
	heap->len++;
	play_all(heap, (struct heap_node){~key, item});
	ENSURES(is_large(heap) || heap_is_valid(heap));
}

void heap_replace_min(struct heap *heap, uint64_t key)
{
	REQUIRES(heap->len > 0 && key >= heap_min_key(heap) && key < UINT64_MAX);
	play_all(heap, (struct heap_node){~key, heap->node[1].item});
	ENSURES(is_large(heap) || heap_is_valid(heap));
}

/* Stops where the item has not won its match before: nothing changes above, because its merit falls. */
void heap_raise(struct heap *heap, uint32_t item, uint64_t key)
{
	struct heap_node *nodes = heap->node, winner = {~key, item};
	size_t at = heap->size + item;
	REQUIRES(item < heap->capacity && key >= ~nodes[at].merit && key < UINT64_MAX);
	nodes[at].merit = ~key;
	for (; at > 1 && nodes[at / 2].item == item; at /= 2) {
		winner = higher(winner, nodes[at ^ 1]);
		nodes[at / 2].merit = winner.merit;
		nodes[at / 2].item = winner.item;
	}
	ENSURES(is_large(heap) || heap_is_valid(heap));
}

void heap_clear(struct heap *heap)
{
	if (heap->len != 0)
		memset(heap->node, 0, heap_storage_size(heap->capacity));
	heap->len = 0;
}

static bool is_same(struct heap_node a, struct heap_node b)
{
	return a.merit == b.merit && a.item == b.item;
}

static bool match_is_valid(const struct heap *heap, uint32_t at)
{
	struct heap_node winner = heap->node[at], a = heap->node[2 * at], b = heap->node[2 * at + 1];
	return (is_same(winner, a) && a.merit >= b.merit) || (is_same(winner, b) && b.merit >= a.merit);
}

/* An empty leaf has merit 0 and item 0. Its merit is below that of each item. */
static bool leaf_is_valid(const struct heap *heap, uint32_t item)
{
	const struct heap_node *leaf = &heap->node[heap->size + item];
	return leaf->merit == 0 ? leaf->item == 0 : leaf->item == item && item < heap->capacity;
}

bool heap_is_valid(const struct heap *heap)
{
	uint32_t len = 0;
	for (uint32_t item = 0; item < heap->size; item++) {
		len += heap->node[heap->size + item].merit != 0;
		if (!leaf_is_valid(heap, item))
			return false;
	}
	for (uint32_t at = 1; at < heap->size; at++)
		if (!match_is_valid(heap, at))
			return false;
	return len == heap->len && len <= heap->capacity;
}

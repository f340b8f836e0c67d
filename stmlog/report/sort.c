/* SPDX-License-Identifier: MIT
 * A heap sort. No two elements are equal, so it does not matter that it is not stable. */
#include "sort.h"

struct heap {
	char *elements;
	size_t size;
	sort_order *order;
	const void *arg;
};

static void swap(const struct heap *heap, size_t i, size_t k)
{
	char *left = heap->elements + i * heap->size, *right = heap->elements + k * heap->size;
	for (size_t at = 0; at < heap->size; at++) {
		char byte = left[at];
		left[at] = right[at];
		right[at] = byte;
	}
}

static int compare(const struct heap *heap, size_t i, size_t k)
{
	return heap->order(heap->elements + i * heap->size, heap->elements + k * heap->size, heap->arg);
}

/* Restores "no child comes later than its parent" below `at`, where only `at` may break it. */
static void sift(const struct heap *heap, size_t at, size_t len)
{
	for (size_t child; (child = 2 * at + 1) < len; at = child) {
		if (child + 1 < len && compare(heap, child, child + 1) < 0)
			child++;
		if (compare(heap, at, child) >= 0)
			return;
		swap(heap, at, child);
	}
}

void sort(void *elements, size_t len, size_t size, sort_order *order, const void *arg)
{
	struct heap heap = {elements, size, order, arg};
	for (size_t i = len / 2; i-- > 0;)
		sift(&heap, i, len);
	for (size_t end = len; end-- > 1;) {
		swap(&heap, 0, end);
		sift(&heap, 0, end);
	}
}

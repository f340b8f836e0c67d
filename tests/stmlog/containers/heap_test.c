/* SPDX-License-Identifier: MIT
 * The heap against a model, and its limits. */
#include "heap.h"

#include <stdlib.h>

#include "fixture.h"
#include "random.h"

#define CAPACITY_MAX 70u
#define NOT_IN UINT64_MAX

/* The model: each item's key, or NOT_IN. What is lowest is found by looking at all. */
struct model {
	uint64_t key[CAPACITY_MAX];
	uint32_t capacity;
	uint32_t len;
};

static uint64_t lowest(const struct model *model)
{
	uint64_t lowest = UINT64_MAX;
	for (uint32_t i = 0; i < model->capacity; i++)
		if (model->key[i] < lowest)
			lowest = model->key[i];
	return lowest;
}

static void check(const struct heap *heap, const struct model *model)
{
	assert_true(heap_is_valid(heap));
	assert_int_equal(heap_len(heap), model->len);
	if (model->len == 0)
		return;
	assert_int_equal(heap_min_key(heap), lowest(model));
	assert_int_equal(heap_min_key(heap), model->key[heap_min_item(heap)]);
}

static void clear(struct heap *heap, struct model *model)
{
	heap_clear(heap);
	model->len = 0;
	for (uint32_t i = 0; i < CAPACITY_MAX; i++)
		model->key[i] = NOT_IN;
}

static void make(struct heap *heap, struct model *model, uint32_t capacity)
{
	heap_init(heap, capacity, test_calloc(1, heap_storage_size(capacity)));
	model->capacity = capacity;
	clear(heap, model);
}

static void push(struct heap *heap, struct model *model, uint64_t key, uint32_t item)
{
	heap_push(heap, key, item);
	model->key[item] = key;
	model->len++;
}

static void raise_key(struct heap *heap, struct model *model, uint32_t item, uint64_t by)
{
	model->key[item] += by;
	heap_raise(heap, item, model->key[item]);
}

static void replace_min(struct heap *heap, struct model *model, uint64_t by)
{
	uint32_t item = heap_min_item(heap);
	model->key[item] += by;
	heap_replace_min(heap, model->key[item]);
}

/* Keys are few, so that many are equal, or spread far. */
static uint64_t any_key(struct random *random)
{
	return random_below(random, 2) == 0 ? random_below(random, 4) : random_next(random) >> 20;
}

static void step(struct heap *heap, struct model *model, struct random *random)
{
	uint32_t item = random_below(random, model->capacity);
	uint32_t kind = random_below(random, 300);
	if (kind == 0)
		clear(heap, model);
	else if (model->key[item] == NOT_IN)
		push(heap, model, any_key(random), item);
	else if (kind < 150)
		raise_key(heap, model, item, any_key(random));
	else
		replace_min(heap, model, any_key(random));
}

TEST_WITH(no_leaks, random_operations_agree_with_a_model)
{
	static const uint32_t capacities[] = {1, 2, 3, 4, 7, 8, CAPACITY_MAX};
	struct random random = {5};
	for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
		struct heap heap;
		struct model model;
		make(&heap, &model, capacities[i]);
		for (int n = 0; n < 4000; n++) {
			step(&heap, &model, &random);
			check(&heap, &model);
		}
		test_free(heap.node);
	}
}

TEST_WITH(no_leaks, a_heap_of_capacity_0_is_empty)
{
	struct heap heap;
	uint64_t nothing;
	heap_init(&heap, 0, &nothing);
	assert_int_equal(heap_storage_size(0), 0);
	assert_int_equal(heap_len(&heap), 0);
	heap_clear(&heap);
	assert_true(heap_is_valid(&heap));
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* The lowest goes and the newcomer stays, K times out of many: what is left are the K highest. */
TEST_WITH(no_leaks, replacing_the_lowest_keeps_the_highest)
{
	enum { COUNT = 1000, KEPT = 33 };
	struct random random = {6};
	struct heap heap;
	struct model model;
	uint64_t keys[COUNT];
	make(&heap, &model, KEPT);
	for (uint32_t i = 0; i < COUNT; i++) {
		keys[i] = any_key(&random);
		if (i < KEPT)
			heap_push(&heap, keys[i], i);
		else if (keys[i] > heap_min_key(&heap))
			heap_replace_min(&heap, keys[i]);
	}
	qsort(keys, COUNT, sizeof *keys, compare);
	for (uint32_t i = 0; i < KEPT; i++) {
		assert_int_equal(heap_min_key(&heap), keys[COUNT - KEPT + i]);
		heap_replace_min(&heap, UINT64_MAX - 1);
		assert_true(heap_is_valid(&heap));
	}
	test_free(heap.node);
}

TEST_WITH(no_leaks, a_key_raised_by_nothing_stays)
{
	struct heap heap;
	struct model model;
	make(&heap, &model, 3);
	for (uint32_t i = 0; i < 3; i++)
		push(&heap, &model, 10, i);
	for (uint32_t i = 0; i < 3; i++) {
		raise_key(&heap, &model, i, 0);
		check(&heap, &model);
	}
	test_free(heap.node);
}

TEST_WITH(no_leaks, the_walker_sees_a_heap_that_is_wrong)
{
	struct heap heap;
	struct model model;
	make(&heap, &model, 4);
	for (uint32_t i = 0; i < 4; i++)
		push(&heap, &model, i, i);
	heap.node[4 + 3].merit = UINT64_MAX; /* a leaf that has won no match */
	assert_false(heap_is_valid(&heap));
	heap.node[4 + 3].merit = ~UINT64_C(3);
	heap.node[1].merit--;
	assert_false(heap_is_valid(&heap));
	heap.node[1].merit++;
	heap.node[2].item = 1;
	assert_false(heap_is_valid(&heap));
	heap.node[2].item = 0;
	assert_true(heap_is_valid(&heap));
	heap.len = 5;
	assert_false(heap_is_valid(&heap));
	test_free(heap.node);
}

/* SPDX-License-Identifier: MIT
 * The hash table against a model, with hashes that collide. */
#include "index.h"

#include "fixture.h"
#include "random.h"

#define CAPACITY_MAX 100u

/* The model: which items are in, and under which hash. */
struct model {
	uint64_t hash[CAPACITY_MAX];
	bool is_in[CAPACITY_MAX];
	uint32_t capacity;
};

static void make(struct index *index, uint32_t capacity)
{
	index_init(index, capacity, test_calloc(1, index_storage_size(capacity)));
}

/* Each item of that hash is found once, and no other. */
static void check_hash(const struct index *index, const struct model *model, uint64_t hash)
{
	bool is_found[CAPACITY_MAX] = {false};
	struct index_cursor cursor = index_find(index, hash);
	uint32_t item;
	while (index_next(&cursor, &item)) {
		assert_in_range(item, 0, model->capacity - 1);
		assert_false(is_found[item]);
		is_found[item] = true;
	}
	for (uint32_t i = 0; i < model->capacity; i++)
		assert_true(is_found[i] == (model->is_in[i] && model->hash[i] == hash));
}

static void check(const struct index *index, const struct model *model)
{
	for (uint32_t i = 0; i < model->capacity; i++)
		if (model->is_in[i])
			check_hash(index, model, model->hash[i]);
}

/* How the hashes lie is what counts: equal ones, neighbours, neighbours around the end of the table, any. */
static uint64_t any_hash(struct random *random)
{
	switch (random_below(random, 4)) {
	case 0:
		return random_below(random, 2);
	case 1:
		return random_below(random, 16);
	case 2:
		return UINT32_MAX - random_below(random, 8);
	default:
		return random_next(random);
	}
}

static void step(struct index *index, struct model *model, struct random *random)
{
	uint32_t item = random_below(random, model->capacity);
	if (model->is_in[item]) {
		index_remove(index, model->hash[item], item);
	} else {
		model->hash[item] = any_hash(random);
		index_add(index, model->hash[item], item);
	}
	model->is_in[item] = !model->is_in[item];
	if (random_below(random, 1000) > 0)
		return;
	index_clear(index);
	for (uint32_t i = 0; i < model->capacity; i++)
		model->is_in[i] = false;
}

TEST_WITH(no_leaks, random_operations_agree_with_a_model)
{
	static const uint32_t capacities[] = {1, 2, 3, 5, 8, 9, CAPACITY_MAX};
	struct random random = {7};
	for (size_t i = 0; i < sizeof capacities / sizeof *capacities; i++) {
		struct index index;
		struct model model = {.capacity = capacities[i]};
		make(&index, capacities[i]);
		for (int n = 0; n < 1500; n++) {
			step(&index, &model, &random);
			check(&index, &model);
			check_hash(&index, &model, any_hash(&random));
		}
		test_free(index.slot);
	}
}

TEST_WITH(no_leaks, an_index_of_capacity_0_finds_nothing)
{
	struct index index;
	uint32_t item;
	make(&index, 0);
	for (uint64_t hash = 0; hash < 4; hash++) {
		struct index_cursor cursor = index_find(&index, hash);
		assert_false(index_next(&cursor, &item));
	}
	index_clear(&index);
	test_free(index.slot);
}

TEST_WITH(no_leaks, a_full_index_of_one_hash_yields_every_item)
{
	struct index index;
	struct model model = {.capacity = CAPACITY_MAX};
	make(&index, CAPACITY_MAX);
	for (uint32_t i = 0; i < CAPACITY_MAX; i++) {
		model.hash[i] = UINT64_MAX;
		model.is_in[i] = true;
		index_add(&index, UINT64_MAX, i);
	}
	check_hash(&index, &model, UINT64_MAX);
	check_hash(&index, &model, 0);
	for (uint32_t i = 0; i < CAPACITY_MAX; i += 2) {
		model.is_in[i] = false;
		index_remove(&index, UINT64_MAX, i);
	}
	check_hash(&index, &model, UINT64_MAX);
	test_free(index.slot);
}

/* Tombstones would fill the table; here every probe still ends at a free slot. */
TEST_WITH(no_leaks, adding_and_removing_for_long_leaves_it_as_empty_as_before)
{
	struct random random = {8};
	struct index index;
	make(&index, 4);
	for (int i = 0; i < 10000; i++) {
		uint64_t hash = random_next(&random);
		index_add(&index, hash, 3);
		index_remove(&index, hash, 3);
	}
	for (uint32_t i = 0; i < index.size; i++)
		assert_int_equal(index.slot[i].item_plus_1, 0);
	test_free(index.slot);
}

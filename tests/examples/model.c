/* SPDX-License-Identifier: MIT */
#include "model.h"

#include <pthread.h>
#include <stdlib.h>

#include "random.h"

#define THREADS 4
#define OBJECTS 16
#define WORDS 3
#define STEPS 12

/* A transaction that took effect. */
struct done {
	uint64_t number;
	uint64_t seed;
	uint64_t digest; /* of all values that it read */
};

struct actor {
	pthread_t thread;
	struct random random;
	struct done now;
	uint32_t len;
	struct done done[MODEL_TRANSACTIONS_MAX];
};

static struct stm_object *numbers, *objects[OBJECTS];
static struct actor actors[THREADS];
static uint32_t transactions;

/* What the random transaction works on: the STM, or an array. */
struct memory {
	struct stm_thread *stm;
	uint64_t (*words)[WORDS];
};

static uint64_t get(const struct memory *memory, uint32_t object, uint32_t word)
{
	return memory->stm != NULL ? stm_read(memory->stm, objects[object], word) : memory->words[object][word];
}

static void put(const struct memory *memory, uint32_t object, uint32_t word, uint64_t value)
{
	if (memory->stm != NULL)
		stm_write(memory->stm, objects[object], word, value);
	else
		memory->words[object][word] = value;
}

/* Increments some words and sets others at random. Returns a digest of what it read. */
static uint64_t act(const struct memory *memory, uint64_t seed)
{
	struct random random = {seed}, digest = {0};
	for (int i = 0; i < STEPS; i++) {
		uint32_t object = random_below(&random, OBJECTS), word = random_below(&random, WORDS);
		uint64_t value = get(memory, object, word);
		digest.state ^= value;
		random_next(&digest);
		if (random_below(&random, 3) == 0)
			put(memory, object, word, random_below(&random, 2) == 0 ? value + 1 : digest.state);
	}
	return digest.state;
}

static void act_in_a_transaction(struct stm_thread *stm, void *arg)
{
	struct actor *actor = arg;
	const struct memory memory = {.stm = stm};
	bool comes_first = actor->now.seed % 2 == 0;
	if (comes_first)
		actor->now.number = stm_read(stm, numbers, 0);
	actor->now.digest = act(&memory, actor->now.seed);
	if (!comes_first)
		actor->now.number = stm_read(stm, numbers, 0);
	stm_write(stm, numbers, 0, actor->now.number + 1);
	if (actor->now.seed % 16 == 3)
		stm_abort(stm, "AT_RANDOM");
}

static void *be_an_actor(void *arg)
{
	struct actor *actor = arg;
	struct stm_thread *stm = stm_thread_begin();
	while (actor->len < transactions) {
		actor->now.seed = random_next(&actor->random);
		if (stm_run(stm, act_in_a_transaction, actor))
			actor->done[actor->len++] = actor->now;
	}
	stm_thread_end(&stm);
	return NULL;
}

static int by_number(const void *a, const void *b)
{
	uint64_t left = ((const struct done *)a)->number, right = ((const struct done *)b)->number;
	return (left > right) - (left < right);
}

static struct done *all_in_order(size_t *len)
{
	struct done *all = malloc(THREADS * transactions * sizeof *all);
	assert_non_null(all);
	*len = 0;
	for (int i = 0; i < THREADS; i++)
		for (uint32_t j = 0; j < actors[i].len; j++)
			all[(*len)++] = actors[i].done[j];
	qsort(all, *len, sizeof *all, by_number);
	return all;
}

static void read_all(struct stm_thread *stm, void *arg)
{
	uint64_t(*words)[WORDS] = arg;
	for (uint32_t i = 0; i < OBJECTS; i++)
		for (uint32_t j = 0; j < WORDS; j++)
			words[i][j] = stm_read(stm, objects[i], j);
}

static void assert_like_one_after_the_other(void)
{
	uint64_t words[OBJECTS][WORDS] = {{0}}, left[OBJECTS][WORDS];
	const struct memory memory = {.words = words};
	size_t len;
	struct done *all = all_in_order(&len);
	assert_int_equal(len, THREADS * transactions);
	for (size_t i = 0; i < len; i++) {
		assert_int_equal(all[i].number, i);
		assert_int_equal(all[i].digest, act(&memory, all[i].seed));
	}
	free(all);
	stm_run(stm_self, read_all, left);
	assert_memory_equal(words, left, sizeof words);
}

void model_test(uint32_t transactions_of_thread)
{
	assert_in_range(transactions_of_thread, 1, MODEL_TRANSACTIONS_MAX);
	transactions = transactions_of_thread;
	numbers = stm_object_create("an object", 1);
	for (int i = 0; i < OBJECTS; i++)
		objects[i] = stm_object_create("an object", WORDS);
	for (uint32_t i = 0; i < THREADS; i++) {
		actors[i].len = 0;
		actors[i].random.state = i;
		assert_int_equal(pthread_create(&actors[i].thread, NULL, be_an_actor, &actors[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(actors[i].thread, NULL);
	assert_like_one_after_the_other();
}

/* SPDX-License-Identifier: MIT
 * Random transactions of several threads, compared with the same transactions done one after the other on a plain
 * array. Each takes a number from an object that all of them write, so the order in which they took effect is known. */
#include "fixture.h"

#include <pthread.h>
#include <stdlib.h>

#include "random.h"
#include "session_fixture.h"
#include "smallstm.h"
#include "stress.h"

#define THREADS 4
#define OBJECTS 4
#define WORDS 3
#define STEPS 12
#define TRANSACTIONS stress_times(2000)
#define TRANSACTIONS_MAX 2000

/* A transaction that took effect. */
struct done {
	uint64_t number;
	uint64_t seed;
	uint64_t seen; /* a digest of all values that it read */
};

struct actor {
	pthread_t thread;
	struct random random;
	struct done now;
	uint32_t len;
	struct done done[TRANSACTIONS_MAX];
};

static struct stm_object *numbers, *objects[OBJECTS];
static struct actor actors[THREADS];

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

/* Returns a digest of what it read. */
static uint64_t act(const struct memory *memory, uint64_t seed)
{
	struct random random = {seed}, digest = {0};
	for (int i = 0; i < STEPS; i++) {
		uint32_t object = random_below(&random, OBJECTS), word = random_below(&random, WORDS);
		digest.state ^= get(memory, object, word);
		uint64_t value = random_next(&digest);
		if (random_below(&random, 3) == 0)
			put(memory, object, word, (uint64_t)value);
	}
	return digest.state;
}

static void act_in_a_transaction(struct stm_thread *stm, void *argument)
{
	struct actor *actor = argument;
	const struct memory memory = {.stm = stm};
	bool comes_first = actor->now.seed % 2 == 0;
	if (comes_first)
		actor->now.number = stm_read(stm, numbers, 0);
	actor->now.seen = act(&memory, actor->now.seed);
	if (!comes_first)
		actor->now.number = stm_read(stm, numbers, 0);
	stm_write(stm, numbers, 0, actor->now.number + 1);
	if (actor->now.seed % 16 == 3)
		stm_abort(stm, "AT_RANDOM");
}

static void *be_an_actor(void *argument)
{
	struct actor *actor = argument;
	struct stm_thread *stm = stm_thread_begin();
	while (actor->len < TRANSACTIONS) {
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
	struct done *all = malloc(THREADS * TRANSACTIONS * sizeof *all);
	assert_non_null(all);
	*len = 0;
	for (int i = 0; i < THREADS; i++)
		for (uint32_t j = 0; j < actors[i].len; j++)
			all[(*len)++] = actors[i].done[j];
	qsort(all, *len, sizeof *all, by_number);
	return all;
}

static void assert_like_one_after_the_other(void)
{
	uint64_t words[OBJECTS][WORDS] = {{0}};
	const struct memory memory = {.words = words};
	size_t len;
	struct done *all = all_in_order(&len);
	assert_int_equal(len, THREADS * TRANSACTIONS);
	for (size_t i = 0; i < len; i++) {
		assert_int_equal(all[i].number, i);
		assert_int_equal(all[i].seen, act(&memory, all[i].seed));
	}
	free(all);
}

static void play(const struct stm_setup *setup)
{
	assert_int_equal(stm_open(setup), 0);
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
	stm_close();
}

TEST_WITH(session_fixture, under_each_manager_transactions_do_what_they_would_one_after_the_other)
{
	for (unsigned manager = 0; manager <= STM_PAUSE; manager++) {
		play(&(struct stm_setup){.segments = THREADS, .manager = (enum stm_manager)manager});
		play(&(struct stm_setup){
			.segments = THREADS, .manager = (enum stm_manager)manager, .readers_detect = true});
	}
}

/* SPDX-License-Identifier: MIT
 * Random transactions of several threads, compared with the same transactions one after the other on a plain array.
 * Each takes a number from a word that all of them increment, so the order in which they took effect is known. */
#include "lazy_session.h"

#include <pthread.h>
#include <stdlib.h>

#include "random.h"
#include "stress.h"

#define THREADS 4
#define WORDS 12
#define STEPS 10
#define TRANSACTIONS_MAX 20000
#define TRANSACTIONS stress_times(TRANSACTIONS_MAX)

/* A transaction that took effect. */
struct done {
	uintptr_t number;
	uint64_t seed;
	uint64_t digest; /* of all values that it read */
};

struct actor {
	pthread_t thread;
	struct random random;
	struct done now;
	uint32_t len;
	struct done done[TRANSACTIONS_MAX];
};

static uintptr_t number, words[WORDS];
static struct actor actors[THREADS];

/* A random transaction on lazystm's words or, without a thread, on an array. */
struct memory {
	struct lazy_thread *thread;
	uintptr_t *words;
};

static uintptr_t get(const struct memory *memory, uint32_t word)
{
	return memory->thread != NULL ? lazy_read(memory->thread, &memory->words[word]) : memory->words[word];
}

static void put(const struct memory *memory, uint32_t word, uintptr_t value)
{
	if (memory->thread != NULL)
		lazy_write(memory->thread, &memory->words[word], value);
	else
		memory->words[word] = value;
}

/* Increments one word and changes others at random. Returns a digest of the values that it read. */
static uint64_t act(const struct memory *memory, uint64_t seed)
{
	struct random random = {seed}, digest = {0};
	for (int i = 0; i < STEPS; i++) {
		uint32_t word = random_below(&random, WORDS);
		uintptr_t value = get(memory, word);
		digest.state ^= value;
		random_next(&digest);
		if (random_below(&random, 3) == 0)
			put(memory, word, random_below(&random, 2) == 0 ? value + 1 : digest.state);
	}
	return digest.state;
}

static void act_in_a_transaction(struct lazy_thread *thread, void *arg)
{
	struct actor *actor = arg;
	const struct memory memory = {thread, words};
	bool comes_first = actor->now.seed % 2 == 0;
	if (comes_first)
		actor->now.number = lazy_read(thread, &number);
	actor->now.digest = act(&memory, actor->now.seed);
	if (!comes_first)
		actor->now.number = lazy_read(thread, &number);
	lazy_write(thread, &number, actor->now.number + 1);
	if (actor->now.seed % 16 == 3)
		lazy_abort(thread, "AT_RANDOM");
}

static void *be_an_actor(void *arg)
{
	struct actor *actor = arg;
	struct lazy_thread *thread = lazy_thread_begin();
	while (actor->len < TRANSACTIONS) {
		actor->now.seed = random_next(&actor->random);
		if (lazy_run(thread, act_in_a_transaction, actor))
			actor->done[actor->len++] = actor->now;
	}
	lazy_thread_end(&thread);
	return NULL;
}

static int by_number(const void *a, const void *b)
{
	uintptr_t left = ((const struct done *)a)->number, right = ((const struct done *)b)->number;
	return (left > right) - (left < right);
}

static struct done *all_in_order(size_t *len)
{
	struct done *all = malloc(THREADS * TRANSACTIONS_MAX * sizeof *all);
	assert_non_null(all);
	*len = 0;
	for (size_t i = 0; i < THREADS; i++)
		for (uint32_t j = 0; j < actors[i].len; j++)
			all[(*len)++] = actors[i].done[j];
	qsort(all, *len, sizeof *all, by_number);
	return all;
}

TEST_WITH(lazy_session_fixture, transactions_do_what_they_would_do_one_after_the_other)
{
	uintptr_t array[WORDS] = {0};
	const struct memory memory = {NULL, array};
	for (uint32_t i = 0; i < THREADS; i++) {
		actors[i].random.state = i;
		assert_int_equal(pthread_create(&actors[i].thread, NULL, be_an_actor, &actors[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(actors[i].thread, NULL);
	size_t len;
	struct done *all = all_in_order(&len);
	assert_int_equal(len, THREADS * TRANSACTIONS);
	for (size_t i = 0; i < len; i++) {
		assert_int_equal(all[i].number, i);
		assert_int_equal(all[i].digest, act(&memory, all[i].seed));
	}
	assert_memory_equal(array, words, sizeof array);
	free(all);
}

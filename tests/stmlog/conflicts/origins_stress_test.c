/* SPDX-License-Identifier: MIT
 * Threads make origins of the same and of different new tracebacks, store them where the others see them, and look up
 * the traceback of each origin that they see: it is always that of its word. */
#include "fixture.h"

#include <pthread.h>

#include <atomic_ops.h>

#include "mem.h"
#include "origins.h"
#include "random.h"
#include "stress.h"

#define THREADS 4
#define WORDS 64
#define PLACES 500 /* well below ORIGIN_PLACES, so that none is unknown */
#define STEPS stress_times(400000)

/* Each has the origin of a traceback whose outer site is the word's number; 0: none yet. */
static volatile AO_t words[WORDS];

struct actor {
	pthread_t thread;
	uint32_t number;
	uint64_t wrong;
	uint64_t looked;
};

static void store(struct origin_cache *cache, struct tb_stack *stack, struct random *random)
{
	uint32_t word = random_below(random, WORDS);
	tb_push(stack, tb_site_make(3, word));
	tb_push(stack, tb_site_make(3, random_below(random, PLACES / WORDS)));
	uint64_t origin = origin_of(cache, stack, 1, tb_current(stack));
	AO_store_release(&words[word], origin); /* partner: check() */
	tb_pop(stack);
	tb_pop(stack);
}

static void check(struct actor *actor, struct random *random)
{
	uint32_t word = random_below(random, WORDS);
	struct stmlog_origin_parts parts;
	AO_t origin = AO_load_acquire(&words[word]); /* partner: store() */
	if (origin == 0)
		return;
	actor->looked++;
	actor->wrong += !stmlog_origin_read(origin, &parts) || parts.thread == 0 || parts.thread > THREADS ||
			parts.traceback == NULL || parts.traceback->len != 2 ||
			parts.traceback->sites[1].position != word;
}

static void *act(void *arg)
{
	struct actor *actor = arg;
	struct random random = {actor->number};
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	struct origin_cache *cache = mem_alloc(sizeof *cache);
	origin_cache_open(cache, actor->number);
	for (uint32_t i = 0; i < STEPS; i++) {
		store(cache, stack, &random);
		check(actor, &random);
	}
	origin_cache_clear(cache, stack);
	mem_free(cache, sizeof *cache);
	return NULL;
}

TEST_WITH(no_leaks, an_origin_stored_by_one_thread_has_its_traceback_in_all_others)
{
	struct actor actors[THREADS];
	for (uint32_t i = 0; i < THREADS; i++) {
		actors[i] = (struct actor){.number = i + 1};
		assert_int_equal(pthread_create(&actors[i].thread, NULL, act, &actors[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(actors[i].thread, NULL);
		assert_int_equal(actors[i].wrong, 0);
		assert_true(actors[i].looked > 0);
	}
}

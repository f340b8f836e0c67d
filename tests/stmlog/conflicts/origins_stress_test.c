/* SPDX-License-Identifier: MIT
 * Threads make origins of the same and of different tracebacks, many more than there is room for, show them to the
 * others, and look up the traceback of each origin that they see: it is always that of its origin, or its site alone.
 */
#include "fixture.h"

#include <pthread.h>

#include "mem.h"
#include "origins.h"
#include "random.h"
#include "stress.h"

#define THREADS 4
#define WORDS 64
#define DEPTH 8
#define STEPS stress_times(200000)
#define FILLS stress_times(4000000)

static volatile AO_t shown; /* an origin without its session, whose attempt is that of all sites but the innermost */

static void *fill_one_row(void *unused)
{
	struct private_places places = {0, 0};
	struct tb_copy traceback = {TB_COPY_FRAMES, true, {{3, 1}}};
	for (uint64_t fill = 1; fill <= FILLS; fill++) {
		for (uint32_t i = 1; i < TB_COPY_FRAMES; i++)
			traceback.sites[i] = tb_site_make(3, fill);
		places.fills = 0; /* the row is chosen by it */
		uint64_t place = private_place_fill(&places, 1, fill, &traceback);
		AO_store_release(&shown, place | fill << ORIGIN_PLACE_BITS); /* partner: the test */
	}
	AO_store_release(&shown, 1);
	return unused;
}

/* The first test, since there may be no row left behind the other one. */
TEST_WITH(no_leaks, a_row_is_read_whole_while_it_is_filled_again_and_again)
{
	pthread_t filler;
	AO_t origin;
	struct stmlog_origin_parts parts;
	assert_int_equal(pthread_create(&filler, NULL, fill_one_row, NULL), 0);
	while ((origin = AO_load_acquire(&shown)) != 1) {
		parts.attempt = origin >> ORIGIN_PLACE_BITS & STMLOG_ORIGIN_ATTEMPTS;
		if (origin != 0)
			private_place_read(origin, &parts);
		for (uint32_t i = 1; origin != 0 && i < parts.copy.len; i++)
			assert_int_equal(parts.copy.sites[i].position, parts.attempt);
	}
	pthread_join(filler, NULL);
}

/* What a naive model keeps of an origin: all that it was made of. Never changed once it is shown. */
struct made {
	uint64_t origin;
	uint32_t thread;
	uint32_t word;
	uint32_t caller; /* of all frames but the innermost, whose site is the word */
};

/* Pointers to struct made; 0: none yet. */
static volatile AO_t words[WORDS];

struct actor {
	pthread_t thread;
	uint32_t number;
	struct made *made;
	uint64_t wrong, whole, cut;
};

static void make(struct made *made, struct origin_cache *cache, struct tb_stack *stack, uint64_t attempt)
{
	for (int i = 1; i < DEPTH; i++)
		tb_push(stack, tb_site_make(3, made->caller));
	tb_push(stack, tb_site_make(3, made->word));
	made->origin = origin_of(cache, stack, attempt, tb_current(stack));
	tb_unwind(stack, (struct tb_mark){0});
	AO_store_release(&words[made->word], (AO_t)made); /* partner: act() */
}

static void check(struct actor *actor, const struct made *made)
{
	struct stmlog_origin_parts parts;
	uint32_t len = stmlog_origin_read(made->origin, &parts) && parts.traceback != NULL ? parts.traceback->len : 0;
	bool is_whole = len == DEPTH, is_it = len != 0 && parts.traceback->is_whole == is_whole &&
					      (parts.thread == made->thread || (!is_whole && parts.thread == 0));
	for (uint32_t i = 0; i < len; i++)
		is_it &= parts.traceback->sites[i].position == (i == 0 ? made->word : made->caller);
	actor->wrong += !is_it;
	*(is_whole ? &actor->whole : &actor->cut) += 1;
}

static void *act(void *arg)
{
	struct actor *actor = arg;
	struct random random = {actor->number};
	OWNED(tb_stack_destroy) struct tb_stack *stack = tb_stack_create(0);
	struct origin_cache *cache = mem_alloc(sizeof *cache);
	origin_cache_open(cache, actor->number);
	for (uint32_t i = 0; i < STEPS; i++) {
		/* Half of the words are those of one thread each. */
		uint32_t word = random_below(&random, WORDS);
		word = word < WORDS / 2 ? word : WORDS / 2 + actor->number;
		actor->made[i] = (struct made){0, actor->number, word, random_below(&random, 400)};
		make(&actor->made[i], cache, stack, i / 50);
		const struct made *seen = (struct made *)AO_load_acquire(&words[random_below(&random, WORDS)]);
		if (seen != NULL)
			check(actor, seen);
		check(actor, &actor->made[i - random_below(&random, i < 2000 ? i + 1 : 2000)]);
	}
	origin_cache_clear(cache, stack);
	mem_free(cache, sizeof *cache);
	return NULL;
}

TEST_WITH(no_leaks, an_origin_shown_by_one_thread_has_its_traceback_or_its_site_in_all_others)
{
	struct actor actors[THREADS];
	struct made *made = mem_alloc(THREADS * STEPS * sizeof *made);
	for (uint32_t i = 0; i < THREADS; i++) {
		actors[i] = (struct actor){.number = i + 1, .made = made + i * STEPS};
		assert_int_equal(pthread_create(&actors[i].thread, NULL, act, &actors[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(actors[i].thread, NULL);
	mem_free(made, THREADS * STEPS * sizeof *made);
	for (size_t i = 0; i < THREADS; i++) {
		assert_int_equal(actors[i].wrong, 0);
		assert_true(actors[i].whole > 0 && (actors[i].cut > 0 || STEPS < 1000));
	}
}

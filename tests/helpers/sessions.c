/* SPDX-License-Identifier: MIT
 *
 * A session in which three threads do what comes at random (the argument is the seed): they abort, wait and pause over
 * objects that have names and blocks that have none, at places with names and without, in the user's locale. What the
 * process prints and writes at its end is the profiler's. */
#include <locale.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "losses.h"
#include "random.h"

enum { THREADS = 3, STEPS = 2000, NAMED = 78, NAMELESS = 79, OBJECTS = 50, BLOCK = 256 };

static volatile uint64_t origins[THREADS]; /* of the newest write of each thread; 0: none yet */
static pthread_barrier_t all_attached;
static uint64_t seed;

static bool expand(struct tb_site site, struct stmlog_name *name, void *arg)
{
	(void)arg;
	snprintf(name->function, sizeof name->function, "f\303\266o%u", (unsigned)(site.position / 10 % 20));
	snprintf(name->file, sizeof name->file, "lib/prog\t%u.py", (unsigned)(site.position % 2));
	name->line = (uint32_t)(site.position / 10);
	return site.code == NAMED;
}

static bool name_object(uintptr_t object, char *name, size_t size, void *arg)
{
	(void)arg;
	snprintf(name, size, "object%u", (unsigned)(object / 16));
	return object % 32 == 0;
}

static bool find_block(uintptr_t object, struct stmlog_block *block, void *arg)
{
	(void)arg;
	*block = (struct stmlog_block){.start = object / BLOCK * BLOCK, .size = BLOCK / 2, .is_freed = object % 3 == 0};
	block->allocated = (struct tb_copy){.len = 1, .is_whole = true, .sites = {tb_site_make(NAMED, object / BLOCK)}};
	return object - block->start < block->size;
}

static uint64_t another(struct random *random, int i)
{
	int other = (i + 1 + (int)random_below(random, THREADS - 1)) % THREADS;
	return random_below(random, 4) != 0 ? origins[other] : 0;
}

/* A loss to another thread because of two objects that are neighbours, or share a lock. */
static struct stmlog_loss false_conflict(struct random *random, int i)
{
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "WORD");
	loss.object = 16 * random_below(random, OBJECTS);
	loss.other_object = 16 * random_below(random, OBJECTS);
	loss.own = random_below(random, 2) != 0 ? origins[i] : 0;
	loss.other = another(random, i);
	loss.overlap = random_below(random, 2) != 0 ? STMLOG_OVERLAP_STRIPE : STMLOG_OVERLAP_ALIAS;
	loss.grade = random_below(random, STMLOG_GRADES);
	return loss;
}

static void lose(struct stmlog_thread *me, struct random *random, int i)
{
	uintptr_t object = 16 * random_below(random, OBJECTS);
	struct stmlog_loss loss = loss_over_write(STMLOG_SELF_ABORT, object, another(random, i), "LOCKED");
	switch (random_below(random, 4)) {
	case 0:
		loss.cause.contention = random_below(random, STMLOG_NONE);
		break;
	case 1:
		loss.cause.reason = STMLOG_ABORTED_BY_OTHER;
		loss.cause.detail = NULL;
		break;
	case 2:
		abort_asked(me, "asked");
		return;
	default:
		loss = false_conflict(random, i);
	}
	stmlog_abort(me, &loss);
}

static void attempt(struct stmlog_thread *me, struct random *random, int i)
{
	origins[i] = stmlog_origin(me, TB_NO_SITE);
	if (random_below(random, 8) == 0) {
		pause_over_write(me, 16, another(random, i), NULL);
		stmlog_wait_end(me);
	}
}

static void transact(struct stmlog_thread *me, struct random *random, int i)
{
	if (random_below(random, 8) == 0) {
		wait_for_inevitable(me, another(random, i), "SERIAL");
		stmlog_wait_end(me);
	}
	stmlog_set_weight(me, 1 + (seed % 2 == 0 ? random_below(random, 3) : 0));
	stmlog_start(me);
	attempt(me, random, i);
	while (random_below(random, 2) != 0) {
		lose(me, random, i);
		stmlog_retry(me);
		attempt(me, random, i);
	}
	stmlog_commit(me);
	stmlog_unmeasured(me, seed % 2 == 0 ? 2 : 0, seed % 2 == 0 ? random_below(random, 3) : 0);
}

static void *run(void *number)
{
	int i = (int)(intptr_t)number;
	struct random random = {seed * THREADS + (uint64_t)i};
	struct stmlog_thread *me = stmlog_thread_open(NULL);
	unsigned depth = 0;
	pthread_barrier_wait(&all_attached);
	for (int step = 0; step < STEPS; step++) {
		if (depth < 7 && random_below(&random, 2) != 0) {
			uint64_t code = random_below(&random, 5) != 0 ? NAMED : NAMELESS;
			stmlog_push(me, tb_site_make(code, 10 + random_below(&random, 300)));
			depth++;
		} else if (depth > 0) {
			stmlog_pop(me);
			depth--;
		}
		transact(me, &random, i);
	}
	while (depth-- > 0)
		stmlog_pop(me);
	pthread_barrier_wait(&all_attached);
	return NULL;
}

int main(int argc, char **argv)
{
	struct stmlog_setup setup = {
		.runtime = "random", .expand = expand, .name_object = name_object, .find_block = find_block};
	pthread_t running[THREADS];
	setlocale(LC_ALL, "");
	seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	if (stmlog_open(&setup) != 0)
		return 1;
	stmlog_set_sampling(seed % 2 == 0 ? 4 : 1);
	stmlog_set_fact("stripe_bytes", seed % 3 == 0 ? 32 : 0);
	stmlog_set_fact("waits_estimated", seed % 5 == 0);
	pthread_barrier_init(&all_attached, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&running[i], NULL, run, (void *)(intptr_t)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(running[i], NULL);
	return 0;
}

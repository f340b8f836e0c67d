/* SPDX-License-Identifier: MIT
 *
 * A session in which three threads do what comes at random (the argument is the seed): they abort, wait and pause over
 * objects that have names and blocks that have none, at places with names and without. What the process prints and
 * writes at its end is the profiler's. */
#include <stmlog/runtime.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

enum { THREADS = 3, STEPS = 2000, NAMED = 78, NAMELESS = 79, OBJECTS = 50, BLOCK = 256 };

static struct stmlog_thread *threads[THREADS];
static volatile uint64_t attempts[THREADS];
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

static struct stmlog_other another(struct random *random, int i)
{
	int other = (i + 1 + (int)random_below(random, THREADS - 1)) % THREADS;
	return stmlog_other_make(threads[other], random_below(random, 3) != 0 ? attempts[other] : 0);
}

static void lose(struct stmlog_thread *me, struct random *random, int i)
{
	uintptr_t object = 16 * random_below(random, OBJECTS), other = 16 * random_below(random, OBJECTS);
	enum stmlog_conflict conflict = random_below(random, 4);
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "WORD");
	switch (random_below(random, 4)) {
	case 0:
		stmlog_contention(me, conflict, object, another(random, i), "LOCKED");
		stmlog_abort_self(me);
		return;
	case 1:
		stmlog_aborted_by(me, another(random, i), STMLOG_WRITE_WRITE, NULL);
		return;
	case 2:
		stmlog_abort_asked(me, "asked");
		return;
	}
	loss.object = object;
	loss.other_object = other;
	loss.overlap = random_below(random, 2) != 0 ? STMLOG_OVERLAP_STRIPE : STMLOG_OVERLAP_ALIAS;
	loss.grade = random_below(random, STMLOG_GRADES);
	loss.local = tb_current(stmlog_thread_stack(me));
	stmlog_abort(me, &loss);
}

static void attempt(struct stmlog_thread *me, struct random *random, int i)
{
	attempts[i] = stmlog_attempt(me);
	stmlog_wrote(me, 16 * random_below(random, OBJECTS));
	if (random_below(random, 8) == 0) {
		stmlog_contention(me, STMLOG_WRITE_MEETS_WRITE, 16, another(random, i), NULL);
		stmlog_pause_self(me);
		stmlog_pause_end(me);
	}
}

static void transact(struct stmlog_thread *me, struct random *random, int i)
{
	if (random_below(random, 8) == 0) {
		stmlog_wait_inevitable(me, another(random, i), "SERIAL");
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
	struct stmlog_thread *me = threads[i] = stmlog_thread_attach();
	struct tb_stack *stack = stmlog_thread_stack(me);
	unsigned depth = 0;
	pthread_barrier_wait(&all_attached);
	for (int step = 0; step < STEPS; step++) {
		if (depth < 7 && random_below(&random, 2) != 0) {
			uint64_t code = random_below(&random, 5) != 0 ? NAMED : NAMELESS;
			tb_push(stack, tb_site_make(code, 10 + random_below(&random, 300)));
			depth++;
		} else if (depth > 0) {
			tb_pop(stack);
			depth--;
		}
		transact(me, &random, i);
	}
	while (depth-- > 0)
		tb_pop(stack);
	pthread_barrier_wait(&all_attached);
	return NULL;
}

int main(int argc, char **argv)
{
	struct stmlog_setup setup = {
		.runtime = "random", .expand = expand, .name_object = name_object, .find_block = find_block};
	pthread_t running[THREADS];
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

/* SPDX-License-Identifier: MIT
 * Threads that allocate and free at once, so that chunks are mapped and unmapped all the time: no piece belongs to two
 * threads, and each is zeroed. */
#include <pthread.h>
#include <stdlib.h>

#include "mem.h"
#include "random.h"
#include "stress.h"
#include "test.h"

enum { THREADS = 4, PIECES = 8, PAGE = 4096, PLACES = 1 << 20 };

static pthread_barrier_t begin;

/* Runs `body` in all threads at once. Each gets a number of its own, for what it finds wrong. */
static void run_all(void *(*body)(void *))
{
	pthread_t threads[THREADS];
	size_t wrong[THREADS] = {0};
	pthread_barrier_init(&begin, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, body, &wrong[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(wrong[i], 0);
	}
	pthread_barrier_destroy(&begin);
	assert_int_equal(mem_live_bytes(), 0);
}

/* ---- owners beside the pieces ---- */

static volatile AO_t *owners; /* by address; 0: nobody has a piece that begins there */

static volatile AO_t *owner_of(const char *piece)
{
	return &owners[(uintptr_t)piece / 64 % PLACES];
}

static void *alloc_and_free_single(void *wrong)
{
	pthread_barrier_wait(&begin);
	for (uint32_t times = stress_times(100000); times > 0; times--) {
		char *piece = mem_alloc(1);
		*(size_t *)wrong += !AO_compare_and_swap_full(owner_of(piece), 0, (AO_t)wrong);
		*(size_t *)wrong += AO_load(owner_of(piece)) != (AO_t)wrong;
		AO_store_release(owner_of(piece), 0);
		mem_free(piece, 1);
	}
	return NULL;
}

TEST(no_piece_has_two_owners)
{
	owners = calloc(PLACES, sizeof *owners);
	assert_non_null((void *)owners);
	run_all(alloc_and_free_single);
	free((void *)owners);
}

/* ---- contents ---- */

static size_t size_of(size_t i)
{
	return (9 * i + 1) * PAGE; /* 1 to 64 pages */
}

static size_t end_of(size_t i)
{
	return size_of(i) / sizeof(size_t) - 1;
}

/* Returns whether the piece has other contents than expected. */
static bool toggle(volatile size_t **piece, size_t i, size_t value)
{
	bool is_new = *piece == NULL;
	if (is_new)
		*piece = mem_alloc(size_of(i));
	if (*piece == NULL)
		return true;
	size_t expected = is_new ? 0 : value;
	bool is_wrong = (*piece)[0] != expected || (*piece)[end_of(i)] != expected;
	(*piece)[0] = (*piece)[end_of(i)] = value;
	if (is_new)
		return is_wrong;
	mem_free((void *)(uintptr_t)*piece, size_of(i));
	*piece = NULL;
	return is_wrong;
}

/* After some steps all is freed: if the other threads have no piece either, the chunk is unmapped. */
static void *alloc_and_free(void *wrong)
{
	volatile size_t *pieces[PIECES] = {0};
	struct random random = {.state = (uintptr_t)wrong};
	pthread_barrier_wait(&begin);
	for (uint32_t times = stress_times(2000); times > 0; times--) {
		for (uint32_t steps = random_below(&random, 2 * PIECES); steps > 0; steps--) {
			size_t i = random_below(&random, PIECES);
			*(size_t *)wrong += toggle(&pieces[i], i, (uintptr_t)wrong);
		}
		for (size_t i = 0; i < PIECES; i++)
			if (pieces[i] != NULL)
				*(size_t *)wrong += toggle(&pieces[i], i, (uintptr_t)wrong);
	}
	return NULL;
}

TEST(pieces_are_zeroed_and_keep_what_their_owner_writes)
{
	run_all(alloc_and_free);
}

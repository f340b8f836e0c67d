/* SPDX-License-Identifier: MIT
 * Threads that add the same originals at once: each finds a right copy of each, at once and afterwards. */

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "interned.h"
#include "mem.h"
#include "stress.h"
#include "test.h"

enum { MANY = 50000, THREADS = 4 };

static struct interned interned;
static char originals[MANY][12];
static uint32_t many;
static pthread_barrier_t begin;

static void *add_all(void *wrong)
{
	size_t *count = wrong;
	pthread_barrier_wait(&begin);
	for (uint32_t i = 0; i < many; i++) {
		const char *copy = interned_find(&interned, originals[i]);
		if (copy == NULL)
			copy = interned_add(&interned, originals[i], originals[i], sizeof originals[i]);
		*count += strcmp(copy, originals[i]) != 0;
	}
	return NULL;
}

TEST(threads_add_the_same_at_once)
{
	pthread_t threads[THREADS];
	size_t wrong[THREADS] = {0};
	many = stress_times(MANY);
	for (uint32_t i = 0; i < many; i++)
		snprintf(originals[i], sizeof originals[i], "%u", (unsigned)i);
	pthread_barrier_init(&begin, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, add_all, &wrong[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(wrong[i], 0);
	}
	pthread_barrier_destroy(&begin);
	for (uint32_t i = 0; i < many; i++)
		assert_string_equal(interned_find(&interned, originals[i]), originals[i]);
	interned_clear(&interned);
	assert_int_equal(mem_live_bytes(), 0);
}

/* SPDX-License-Identifier: MIT
 * Threads that intern the same code at once get the same numbers, each of which has its texts in any thread. */

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <stmlog/traceback.h>

#include "stress.h"
#include "test.h"

enum { MANY = 20000, THREADS = 4 };

static uintptr_t numbers[THREADS][MANY];
static uint32_t many;
static pthread_barrier_t begin;

static bool has_text(uintptr_t number, const char *text)
{
	struct tb_place place;
	return tb_code_place(tb_site_make(number, 1), &place) && strcmp(place.function, text) == 0 &&
	       strcmp(place.file, "stress.py") == 0;
}

static void *intern_all(void *own)
{
	uintptr_t *number = own;
	char text[12];
	pthread_barrier_wait(&begin);
	for (uint32_t i = 0; i < many; i++) {
		snprintf(text, sizeof text, "%u", (unsigned)i);
		number[i] = tb_code_intern(text, "stress.py");
		if (!has_text(number[i], text))
			number[i] = TB_CODE_UNKNOWN;
	}
	return NULL;
}

TEST(threads_get_one_number_for_one_piece_of_code)
{
	pthread_t threads[THREADS];
	many = stress_times(MANY);
	pthread_barrier_init(&begin, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, intern_all, numbers[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&begin);
	for (uint32_t i = 0; i < many; i++) {
		assert_true(numbers[0][i] != TB_CODE_UNKNOWN);
		for (int thread = 1; thread < THREADS; thread++)
			assert_true(numbers[thread][i] == numbers[0][i]);
	}
}

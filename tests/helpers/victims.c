/* SPDX-License-Identifier: MIT
 *
 * A transaction with one write, and N others (the argument) in threads of their own that lose to it: the i-th loses i
 * milliseconds, odd ones at one place and even ones at another. The program has its own clock, so the figures are
 * exact. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "losses.h"

#define OBJECT ((uintptr_t)64)

static uint64_t now_ns = 1000;
static uint64_t culprit; /* the origin of the write */

static uint64_t read_clock(void)
{
	return now_ns;
}

static void lose(struct stmlog_thread *thread)
{
	abort_over_write(thread, OBJECT, culprit, NULL);
}

static void lose_at_an_odd_place(struct stmlog_thread *thread)
{
	stmlog_push(thread, TB_HERE());
	lose(thread);
	stmlog_pop(thread);
}

static void lose_at_an_even_place(struct stmlog_thread *thread)
{
	stmlog_push(thread, TB_HERE());
	lose(thread);
	stmlog_pop(thread);
}

static void *be_a_victim(void *number)
{
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	stmlog_start(thread);
	now_ns += (uintptr_t)number * 1000000;
	if ((uintptr_t)number % 2 != 0)
		lose_at_an_odd_place(thread);
	else
		lose_at_an_even_place(thread);
	return NULL;
}

static void write_it(struct stmlog_thread *thread)
{
	culprit = stmlog_origin(thread, TB_HERE());
}

int main(int argc, char **argv)
{
	uintptr_t victims = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	pthread_t victim;
	stmlog_set_clock(read_clock);
	if (stmlog_open(NULL) != 0)
		return 1;
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	stmlog_start(thread);
	write_it(thread);
	for (uintptr_t i = 1; i <= victims; i++) {
		if (pthread_create(&victim, NULL, be_a_victim, (void *)i) != 0)
			return 1;
		pthread_join(victim, NULL);
	}
	stmlog_commit(thread);
	return 0;
}

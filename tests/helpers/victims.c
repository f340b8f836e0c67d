/* SPDX-License-Identifier: MIT
 *
 * A transaction with one write, and N others (the argument) in threads of their own that lose to it: the i-th loses i
 * milliseconds, odd ones at one place and even ones at another. The program has its own clock, so the figures are
 * exact. */
#include <stmlog/runtime.h>

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define OBJECT ((uintptr_t)64)

static uint64_t now_ns = 1000;
static struct stmlog_other culprit;

static uint64_t read_clock(void)
{
	return now_ns;
}

static void lose(struct stmlog_thread *thread)
{
	stmlog_contention(thread, STMLOG_WRITE_MEETS_WRITE, OBJECT, culprit, NULL);
	stmlog_abort_self(thread);
}

static void lose_at_an_odd_place(struct stmlog_thread *thread)
{
	tb_push(stmlog_thread_stack(thread), TB_HERE());
	lose(thread);
	tb_pop(stmlog_thread_stack(thread));
}

static void lose_at_an_even_place(struct stmlog_thread *thread)
{
	tb_push(stmlog_thread_stack(thread), TB_HERE());
	lose(thread);
	tb_pop(stmlog_thread_stack(thread));
}

static void *be_a_victim(void *number)
{
	struct stmlog_thread *thread = stmlog_thread_attach();
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
	tb_push(stmlog_thread_stack(thread), TB_HERE());
	stmlog_wrote(thread, OBJECT);
	tb_pop(stmlog_thread_stack(thread));
}

int main(int argc, char **argv)
{
	uintptr_t victims = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	pthread_t victim;
	stmlog_set_clock(read_clock);
	if (stmlog_open(NULL) != 0)
		return 1;
	struct stmlog_thread *thread = stmlog_thread_attach();
	stmlog_start(thread);
	write_it(thread);
	culprit = stmlog_other_make(thread, stmlog_attempt(thread));
	for (uintptr_t i = 1; i <= victims; i++) {
		if (pthread_create(&victim, NULL, be_a_victim, (void *)i) != 0)
			return 1;
		pthread_join(victim, NULL);
	}
	stmlog_commit(thread);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * counters.c for a program that has its libitm linked in, where nothing can be preloaded. To be linked with
 * --wrap=pthread_create. The sum of all restarts goes to the file descriptor COUNTERS_OUT.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESTART_REASON_OFFSET = 0x108, REASONS = 10 };

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
create_function __real_pthread_create, __wrap_pthread_create;

/* Relaxed: each thread adds before it can be joined, and main reads when it has joined them. */
static atomic_ullong restarts;

static void add_own(void *unused)
{
	(void)unused;
	const char *descriptor;
	uint32_t counts[REASONS];
	__asm__ volatile("mov %%fs:0x50, %0" : "=r"(descriptor));
	if (descriptor == NULL)
		return;
	memcpy(counts, descriptor + RESTART_REASON_OFFSET, sizeof(counts));
	for (int i = 0; i < REASONS; i++)
		atomic_fetch_add_explicit(&restarts, counts[i], memory_order_relaxed);
}

struct start {
	void *(*routine)(void *);
	void *arg;
};

static void *start_routine(void *arg)
{
	struct start start = *(struct start *)arg;
	void *result;
	free(arg);
	pthread_cleanup_push(add_own, NULL);
	result = start.routine(start.arg);
	pthread_cleanup_pop(1);
	return result;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *arg)
{
	struct start *start = malloc(sizeof(*start));
	if (start == NULL)
		abort();
	*start = (struct start){routine, arg};
	return __real_pthread_create(thread, attributes, start_routine, start);
}

__attribute__((destructor)) static void print_restarts(void)
{
	const char *fd = getenv("COUNTERS_OUT");
	if (fd == NULL)
		return;
	add_own(NULL);
	dprintf(atoi(fd), "%llu\n", atomic_load_explicit(&restarts, memory_order_relaxed));
}

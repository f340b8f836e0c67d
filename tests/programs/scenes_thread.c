/* SPDX-License-Identifier: MIT
 * Scenes of threads: how they begin, are interrupted, and end.
 * usage: scenes_thread SCENE, or --list */
#include "scenes.h"
#include "total.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 1000 };

static long counter;

static void tell_total(void)
{
	printf("%d commits\n", (int)total_read());
}

static pthread_t begin(void *(*routine)(void *), void *arg)
{
	pthread_t thread;
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 4 * (size_t)PTHREAD_STACK_MIN);
	if (pthread_create(&thread, &small, routine, arg) != 0)
		exit(3);
	return thread;
}

/* ---- ends ---- */

static void *leave(void *result)
{
	scenes_transact(5);
	pthread_exit(result);
}

static int pthread_exits(void)
{
	void *result = NULL;
	for (int i = 0; i < 50; i++)
		pthread_join(begin(leave, &counter), &result);
	tell_total();
	return result != NULL ? 0 : 1;
}

static pthread_barrier_t line;

static void *transact_together(void *is_at_line)
{
	if (is_at_line != NULL)
		pthread_barrier_wait(&line);
	scenes_transact(5);
	return NULL;
}

static void many(void *is_at_line)
{
	static pthread_t threads[MANY];
	pthread_barrier_init(&line, NULL, MANY);
	for (int i = 0; i < MANY; i++)
		threads[i] = begin(transact_together, is_at_line);
	for (int i = 0; i < MANY; i++)
		pthread_join(threads[i], NULL);
	tell_total();
}

static int thousand(void)
{
	many(&line);
	return 0;
}

static int thousand_in_turns(void)
{
	many(NULL);
	return 0;
}

static void *wait_for_cancel(void *unused)
{
	(void)unused;
	for (;;) {
		scenes_transact(1);
		pthread_testcancel();
	}
	return NULL;
}

static int cancelled(void)
{
	void *result = NULL;
	for (int i = 0; i < 50; i++) {
		pthread_t thread = begin(wait_for_cancel, NULL);
		pthread_cancel(thread);
		pthread_join(thread, &result);
	}
	printf("cancelled: %d\n", result == PTHREAD_CANCELED);
	return 0;
}

__attribute__((transaction_pure, noinline)) static void ask_for_cancel(void)
{
	pthread_cancel(pthread_self());
}

/* libitm ends a process in which a transaction is cancelled: it has to come to its end. */
static void *cancel_within(void *unused)
{
	(void)unused;
	__transaction_atomic
	{
		counter++;
		ask_for_cancel();
	}
	scenes_transact(5);
	pthread_testcancel();
	return NULL;
}

static int cancelled_within(void)
{
	void *result = NULL;
	for (int i = 0; i < 50; i++)
		pthread_join(begin(cancel_within, NULL), &result);
	printf("cancelled: %d, %ld, ", result == PTHREAD_CANCELED, counter);
	tell_total();
	return 6;
}

static pthread_key_t key;
static int destructions;

/* The C library calls it again as long as it sets the value. */
static void transact_late(void *left)
{
	scenes_transact(5);
	__atomic_fetch_add(&destructions, 1, __ATOMIC_RELAXED);
	if ((uintptr_t)left > 1)
		pthread_setspecific(key, (void *)((uintptr_t)left - 1));
}

static void *set_value(void *is_transacting)
{
	if (is_transacting != NULL)
		scenes_transact(5);
	pthread_setspecific(key, (void *)(uintptr_t)PTHREAD_DESTRUCTOR_ITERATIONS);
	return NULL;
}

static int destructors(void)
{
	pthread_key_create(&key, transact_late);
	for (int i = 0; i < 50; i++)
		pthread_join(begin(set_value, i % 2 == 0 ? &key : NULL), NULL);
	printf("%d destructions, ", destructions);
	tell_total();
	return 0;
}

static int exits_in_thread(void)
{
	for (int i = 0; i < 4; i++)
		begin(wait_for_cancel, NULL);
	scenes_transact(5);
	exit(17);
}

static int quickly(void)
{
	begin(wait_for_cancel, NULL);
	scenes_transact(5);
	quick_exit(18);
}

/* ---- signals ---- */

static volatile sig_atomic_t is_within, ticks;

/* libitm cannot begin a transaction within another one's begin. */
static void transact_in_handler(int number)
{
	int saved = errno;
	(void)number;
	ticks = ticks + 1;
	if (!is_within)
		scenes_transact(1);
	errno = saved;
}

static void every_ms(void (*handler)(int))
{
	const struct itimerval time = {{0, 1000}, {0, 1000}};
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &time, NULL);
}

static void no_more(void)
{
	const struct itimerval never = {{0, 0}, {0, 0}};
	setitimer(ITIMER_REAL, &never, NULL);
}

static int handlers(void)
{
	int is_kept = 1;
	every_ms(transact_in_handler);
	while (ticks < 300) {
		errno = EDOM;
		is_within = 1;
		scenes_transact(20);
		is_within = 0;
		is_kept &= errno == EDOM;
	}
	no_more();
	printf("errno kept: %d\n", is_kept);
	return 0;
}

static sigjmp_buf outside;

static void jump_outside(int number)
{
	(void)number;
	ticks = ticks + 1;
	if (!is_within)
		siglongjmp(outside, 1);
}

static int jumps(void)
{
	volatile int jumped = 0;
	if (sigsetjmp(outside, 1) == 0)
		every_ms(jump_outside);
	else
		jumped = 1;
	while (ticks < 300) {
		is_within = 1;
		scenes_transact(20);
		is_within = 0;
		for (volatile int i = 0; i < 1000; i++)
			;
	}
	no_more();
	printf("jumped: %d\n", jumped);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct scene scenes[] = {
		{"pthread-exit", pthread_exits},
		{"thousand", thousand},
		{"thousand-in-turns", thousand_in_turns},
		{"cancelled", cancelled},
		{"cancelled-within", cancelled_within},
		{"destructors", destructors},
		{"exit-in-thread", exits_in_thread},
		{"quick-exit", quickly},
		{"handlers", handlers},
		{"jumps", jumps},
	};
	return scenes_main(argc, argv, scenes, sizeof scenes / sizeof scenes[0]);
}

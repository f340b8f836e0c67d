/* SPDX-License-Identifier: MIT
 * The second thread, and the two semaphores by which it and the caller take turns. */
#include "second_thread.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

/* What the second thread is to do. The caller posts `ordered` when the order is complete, the thread posts `done`. */
static struct {
	uint64_t *word;
	transact_callback *callback;
	void *argument;
} order;
static sem_t ordered, done;

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore) != 0 && errno == EINTR)
		continue;
}

static void run_within(void *unused)
{
	(void)unused;
	if (order.callback != NULL)
		order.callback(order.argument);
	sem_post(&done);
	wait_for(&ordered);
}

/* The second thread. It never returns: the process ends with it. */
static void *run(void *unused)
{
	for (;;) {
		wait_for(&ordered);
		if (order.word != NULL)
			transact_write(order.word, run_within, unused);
		else
			transact_irrevocable(run_within, unused);
		sem_post(&done);
	}
	return unused;
}

bool second_thread_start(void)
{
	static uint64_t word;
	pthread_t thread;
	if (sem_init(&ordered, 0, 0) != 0 || sem_init(&done, 0, 0) != 0 ||
		pthread_create(&thread, NULL, run, NULL) != 0)
		return false;
	second_thread_begin(&word, NULL, NULL);
	second_thread_commit();
	return true;
}

void second_thread_begin(uint64_t *word, transact_callback *callback, void *argument)
{
	order.word = word;
	order.callback = callback;
	order.argument = argument;
	sem_post(&ordered);
	wait_for(&done);
}

void second_thread_commit(void)
{
	sem_post(&ordered);
	wait_for(&done);
}

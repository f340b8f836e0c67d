/* SPDX-License-Identifier: MIT
 *
 * Threads that outlive main, as those of a pool do: each does its rounds, and then waits for work that never comes.
 * Main exits when all have done their rounds. usage: outlive [THREADS [ROUNDS [BUSY]]]: the first BUSY - 1 threads go
 * on transacting instead. With BUSY the program also prints how many attempts the threads have made in their rounds.
 *
 * A round is a transaction that commits and one that is cancelled. A plain store is cancelled (nested.c says why). To
 * be run with ITM_DEFAULT_METHOD set (cancel.c says why).
 */
#include "meeting.h"
#include "program.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

enum { MAX_THREADS = 64 };

static unsigned threads, rounds, busy;
static uint64_t sum;
static struct {
	_Alignas(64) uint64_t refused, attempts;
} own[MAX_THREADS];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_done = PTHREAD_COND_INITIALIZER, never = PTHREAD_COND_INITIALIZER;
static unsigned done;

/* First in each transaction; a rollback does not undo it. */
__attribute__((transaction_pure, noinline)) static void count_attempt(unsigned number)
{
	own[number].attempts++;
}

static __attribute__((noinline)) void add(unsigned number)
{
	__transaction_atomic
	{
		count_attempt(number);
		meeting_enter();
		sum++;
		meeting_hold();
	}
}

static __attribute__((noinline)) void refuse(unsigned number)
{
	__transaction_atomic
	{
		count_attempt(number);
		own[number].refused = 1;
		__transaction_cancel;
	}
}

static void wait_for_ever(void)
{
	pthread_mutex_lock(&lock);
	done++;
	pthread_cond_signal(&is_done);
	for (;;)
		pthread_cond_wait(&never, &lock);
}

static void go_on(unsigned number)
{
	pthread_mutex_lock(&lock);
	done++;
	pthread_cond_signal(&is_done);
	pthread_mutex_unlock(&lock);
	for (;;)
		refuse(number);
}

static void *run(void *arg)
{
	unsigned number = (unsigned)(uintptr_t)arg;
	meeting_join(number, threads, program_meetings());
	for (unsigned i = 0; i < rounds; i++) {
		meeting_next();
		add(number);
		refuse(number);
	}
	if (number + 1 < busy)
		go_on(number);
	wait_for_ever();
	return NULL;
}

static void await_all(void)
{
	pthread_mutex_lock(&lock);
	while (done < threads)
		pthread_cond_wait(&is_done, &lock);
	pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
	uint64_t attempts = 0;
	threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 300);
	busy = argc > 3 ? program_number(argc, argv, 3, 1) : 0;
	for (unsigned i = 0; i < threads; i++) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, run, (void *)(uintptr_t)i) != 0)
			return 3;
	}
	await_all();
	for (unsigned i = 0; i < threads; i++)
		attempts += own[i].attempts;
	if (busy != 0)
		printf("attempts %" PRIu64 "\n", attempts);
	return program_result(sum == (uint64_t)rounds * threads, sum);
}

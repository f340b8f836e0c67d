/* SPDX-License-Identifier: MIT
 *
 * Threads with conflicting transactions that end in all possible ways: they return, call pthread_exit(), are cancelled,
 * are C11 threads, or do not end: those wait until the process exits. The main thread transacts, too.
 */
#include "meeting.h"
#include "program.h"
#include "total.h"

#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <threads.h>
#include <unistd.h>

enum { PARTIES = 5 };

/* Threads that have done their rounds and wait; release in stand(), acquire in main(). */
static unsigned standing;

static _Noreturn void stand(void)
{
	__atomic_fetch_add(&standing, 1, __ATOMIC_RELEASE);
	for (;;)
		pause(); /* a cancellation point */
}

static void wait_for_standing(unsigned count)
{
	while (__atomic_load_n(&standing, __ATOMIC_ACQUIRE) < count)
		sched_yield();
}

/* If a test asks for it, the main thread and another one are certain to conflict at the beginning. */
static void meet(unsigned number)
{
	static uint64_t met;
	unsigned meetings = program_meetings();
	meeting_join(number, 2, meetings);
	for (unsigned i = 0; i < 2 * meetings; i++) {
		meeting_next();
		__transaction_atomic
		{
			meeting_enter();
			met++;
			meeting_hold();
		}
	}
}

static void *run_and_return(void *is_partner)
{
	if (is_partner != NULL)
		meet(1);
	total_rounds(0);
	return NULL;
}

static void *run_and_exit(void *unused)
{
	total_rounds(0);
	pthread_exit(unused);
}

static int run_as_c11(void *unused)
{
	(void)unused;
	total_rounds(0);
	thrd_exit(1);
}

static void *run_and_stand(void *unused)
{
	(void)unused;
	total_rounds(0);
	stand();
}

int main(int argc, char **argv)
{
	enum { MAX = 64 };
	unsigned threads = program_threads(argc, argv);
	pthread_t returning[MAX], exiting[MAX], cancelled[MAX], staying[MAX];
	thrd_t c11[MAX];
	for (unsigned i = 0; i < threads; i++) {
		void *is_partner = i == 0 ? &standing : NULL;
		if (pthread_create(&returning[i], NULL, run_and_return, is_partner) != 0 ||
			pthread_create(&exiting[i], NULL, run_and_exit, NULL) != 0 ||
			pthread_create(&cancelled[i], NULL, run_and_stand, NULL) != 0 ||
			pthread_create(&staying[i], NULL, run_and_stand, NULL) != 0 ||
			thrd_create(&c11[i], run_as_c11, NULL) != thrd_success)
			return 3;
	}
	meet(0);
	total_rounds(0);
	wait_for_standing(2 * threads);
	for (unsigned i = 0; i < threads; i++) {
		pthread_cancel(cancelled[i]);
		pthread_join(cancelled[i], NULL);
		pthread_join(returning[i], NULL);
		pthread_join(exiting[i], NULL);
		thrd_join(c11[i], NULL);
	}
	uint64_t total = total_read();
	return program_result(total == (uint64_t)TOTAL_ROUNDS * (PARTIES * threads + 1), total);
}

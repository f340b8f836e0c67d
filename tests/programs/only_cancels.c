/* SPDX-License-Identifier: MIT
 *
 * Every transaction of every thread is cancelled by the program; none commits. The threads meet after the first cancel
 * of each, so that the others are transacting then, too. usage: only_cancels [THREADS [CANCELS OF EACH]]
 *
 * A plain store is cancelled (nested.c says why). To be run with ITM_DEFAULT_METHOD set (cancel.c says why).
 */
#include "program.h"

#include <pthread.h>

enum { MAX_THREADS = 64 };

static unsigned cancels;
static pthread_barrier_t meeting;

/* A cache line for each thread: they have no conflicts. */
static struct {
	_Alignas(64) uint64_t value;
} refused[MAX_THREADS];

static __attribute__((noinline)) void refuse(unsigned number)
{
	__transaction_atomic
	{
		refused[number].value = number + 1;
		__transaction_cancel;
	}
}

static void body(unsigned number)
{
	refuse(number);
	pthread_barrier_wait(&meeting);
	for (unsigned i = 1; i < cancels; i++)
		refuse(number);
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	cancels = program_number(argc, argv, 2, 500);
	pthread_barrier_init(&meeting, NULL, threads);
	program_run(threads, body);
	uint64_t kept = 0;
	for (unsigned i = 0; i < threads; i++)
		kept += refused[i].value;
	return program_result(kept == 0, (uint64_t)threads * cancels);
}

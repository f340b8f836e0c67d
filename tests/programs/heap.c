/* SPDX-License-Identifier: MIT
 *
 * Threads conflict over all kinds of data: a global array, a static variable, and blocks from every function that
 * allocates, called within a transaction and outside. For each kind there is a function, which all threads run at the
 * same time. usage: heap [THREADS [ROUNDS]]
 */
#include "meeting.h"
#include "program.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WORK = 200, WORDS = 8, AT = 3 };

uint64_t totals[WORDS];
static uint64_t hidden;
static uint64_t *by_malloc, *by_calloc, *by_realloc, *by_aligned, *by_transaction, *freed;
static unsigned threads, rounds;
static pthread_barrier_t barrier;

#define RAISES(name, place)                                      \
	static __attribute__((noinline)) void raise_##name(void) \
	{                                                        \
		__transaction_atomic                             \
		{                                                \
			meeting_enter();                         \
			(place) += 1;                            \
			program_work(WORK);                      \
			meeting_hold();                          \
		}                                                \
	}
RAISES(global, totals[AT])
RAISES(hidden, hidden)
RAISES(malloc, by_malloc[AT])
RAISES(calloc, by_calloc[AT])
RAISES(realloc, by_realloc[AT])
RAISES(aligned, by_aligned[AT])
RAISES(transaction, by_transaction[AT])
RAISES(freed, freed[AT])

static __attribute__((noinline)) void make_by_malloc(void)
{
	by_malloc = malloc(WORDS * sizeof *by_malloc);
	memset(by_malloc, 0, WORDS * sizeof *by_malloc);
}

static __attribute__((noinline)) void make_by_calloc(void)
{
	by_calloc = calloc(2 * WORDS, sizeof *by_calloc);
}

static __attribute__((noinline)) void make_by_realloc(void)
{
	void *small = malloc(24);
	by_realloc = realloc(small, 3 * WORDS * sizeof *by_realloc);
	memset(by_realloc, 0, 3 * WORDS * sizeof *by_realloc);
}

static __attribute__((noinline)) void make_by_alignment(void)
{
	void *memory;
	if (posix_memalign(&memory, 4096, 4 * WORDS * sizeof *by_aligned) != 0)
		abort();
	by_aligned = memory;
	memset(by_aligned, 0, 4 * WORDS * sizeof *by_aligned);
}

static __attribute__((noinline)) void make_in_transaction(void)
{
	__transaction_atomic
	{
		by_transaction = malloc(5 * WORDS * sizeof *by_transaction);
		for (unsigned i = 0; i < 5 * WORDS; i++)
			by_transaction[i] = 0;
	}
}

/* So large that its memory is unmapped at once, and not allocated again. */
static __attribute__((noinline)) void make_freed(void)
{
	freed = calloc(1 << 20, sizeof *freed);
}

static void body(unsigned number)
{
	static void (*const raises[])(void) = {raise_global, raise_hidden, raise_malloc, raise_calloc, raise_realloc,
		raise_aligned, raise_transaction, raise_freed};
	for (size_t which = 0; which < sizeof raises / sizeof *raises; which++) {
		pthread_barrier_wait(&barrier);
		meeting_join(number, threads, program_meetings());
		for (unsigned i = 0; i < rounds; i++) {
			meeting_next();
			raises[which]();
		}
	}
}

int main(int argc, char **argv)
{
	threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 1000);
	make_by_malloc();
	make_by_calloc();
	make_by_realloc();
	make_by_alignment();
	make_in_transaction();
	make_freed();
	pthread_barrier_init(&barrier, NULL, threads);
	program_run(threads, body);
	uint64_t sum = totals[AT] + hidden + by_malloc[AT] + by_calloc[AT] + by_realloc[AT] + by_aligned[AT] +
		       by_transaction[AT] + freed[AT];
	free(freed);
	return program_result(sum == (uint64_t)rounds * threads * 8, sum);
}

/* SPDX-License-Identifier: MIT
 *
 * Transactions for which others have to wait, by construction. Each even thread sleeps in a transaction; no processor
 * does that in hardware, so under htm it runs alone. Meanwhile the odd thread after it begins a transaction. usage:
 * alone [THREADS [MILLISECONDS OF A SLEEP [ROUNDS]]]
 */
#include "program.h"

#include <stdatomic.h>
#include <time.h>

enum { MAX_THREADS = 64 };

static unsigned threads, sleep_ms, rounds;

/* A cache line for each thread: they have no conflicts over data, and wait only because of sleeping. */
static struct {
	_Alignas(64) uint64_t value;
} sums[MAX_THREADS];

/* The last round in which the even thread of a pair has slept, and the last one that the odd thread has finished. */
static _Atomic unsigned asleep[MAX_THREADS], done[MAX_THREADS];

static void take_time(unsigned us)
{
	nanosleep(&(struct timespec){us / 1000000, (long)(us % 1000000) * 1000}, NULL);
}

static void await(_Atomic unsigned *word, unsigned round)
{
	while (atomic_load(word) < round)
		take_time(100);
}

__attribute__((transaction_pure)) static void sleep_within(unsigned number, unsigned round)
{
	atomic_store(&asleep[number], round);
	take_time(sleep_ms * 1000);
}

static __attribute__((noinline)) void hold_up(unsigned number, unsigned round)
{
	__transaction_atomic
	{
		sums[number].value++;
		sleep_within(number, round);
	}
}

static __attribute__((noinline)) void come_by(unsigned number)
{
	__transaction_atomic
	{
		sums[number].value += 2;
	}
}

static void body(unsigned number)
{
	for (unsigned round = 1; round <= rounds; round++) {
		if (number % 2 == 0) {
			hold_up(number, round);
			if (number + 1 < threads)
				await(&done[number + 1], round);
		} else {
			await(&asleep[number - 1], round);
			come_by(number);
			atomic_store(&done[number], round);
		}
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0, expected = 2;
	threads = program_threads(argc, argv);
	sleep_ms = program_number(argc, argv, 2, 2);
	rounds = program_number(argc, argv, 3, 3);
	come_by(0); /* the process's first transaction is never tried in hardware */
	program_run(threads, body);
	for (unsigned i = 0; i < threads; i++) {
		sum += sums[i].value;
		expected += (i % 2 == 0 ? 1u : 2u) * rounds;
	}
	return program_result(sum == expected, sum);
}

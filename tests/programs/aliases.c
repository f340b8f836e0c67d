/* SPDX-License-Identifier: MIT
 *
 * Threads raise counters that lie megabytes apart, but have the same lock in libitm, which chooses it by a hash of the
 * address; or, with "2", counters next to those, which have different locks.
 * usage: aliases [THREADS [ROUNDS [WHICH]]]
 */
#include "meeting.h"
#include "program.h"

#include <stddef.h>

enum { MAX = 64, STRIPE = 32, STRIPES = 1 << 23, WORK = 300 };

/* Only the pages with the counters are touched. */
static _Alignas(64) unsigned char arena[(size_t)STRIPES * STRIPE];
static uint64_t *tallies[MAX];
static unsigned threads, rounds;

/* As in libitm's method-ml. */
static uint32_t lock_of(const unsigned char *address)
{
	return (uint32_t)((uintptr_t)address / STRIPE) * 81007u >> 16;
}

static void place_tallies(unsigned which)
{
	size_t stripe = 0;
	for (unsigned found = 0; found < MAX; stripe++) {
		if (lock_of(&arena[stripe * STRIPE]) != lock_of(arena))
			continue;
		tallies[found] = (uint64_t *)(void *)&arena[(stripe + (which == 2 ? found : 0)) * STRIPE];
		found++;
	}
}

static __attribute__((noinline)) void raise_own(uint64_t *tally)
{
	__transaction_atomic
	{
		meeting_enter();
		*tally += 1;
		program_work(WORK);
		meeting_hold();
	}
}

static void body(unsigned number)
{
	meeting_join(number, threads, program_meetings());
	for (unsigned i = 0; i < rounds; i++) {
		meeting_next();
		raise_own(tallies[number]);
		program_work(WORK / 3);
	}
}

int main(int argc, char **argv)
{
	threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 1000);
	place_tallies(program_number(argc, argv, 3, 1));
	program_run(threads, body);
	uint64_t sum = 0;
	for (unsigned i = 0; i < MAX; i++)
		sum += *tallies[i];
	return program_result(sum == (uint64_t)rounds * threads, sum);
}

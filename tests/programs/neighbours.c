/* SPDX-License-Identifier: MIT
 *
 * Each thread raises a counter of its own. Their distance decides whether there are conflicts: with 8 bytes, four
 * counters lie in one of libitm's 32-byte stripes; with 64 bytes no two do. usage: neighbours [THREADS [ROUNDS
 * [DISTANCE]]]     distance in bytes, a multiple of 8
 */
#include "meeting.h"
#include "program.h"

enum { MAX = 64, FARTHEST = 128, WORK = 300 };

static _Alignas(64) uint64_t tallies[MAX * FARTHEST / sizeof(uint64_t)];
static unsigned threads, rounds, step;

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
		raise_own(&tallies[number * step]);
		program_work(WORK / 3);
	}
}

int main(int argc, char **argv)
{
	threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 1000);
	step = program_number(argc, argv, 3, 8) / sizeof(uint64_t);
	program_run(threads, body);
	uint64_t sum = 0;
	for (unsigned i = 0; i < sizeof tallies / sizeof *tallies; i++)
		sum += tallies[i];
	return program_result(sum == (uint64_t)rounds * threads, sum);
}

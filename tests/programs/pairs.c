/* SPDX-License-Identifier: MIT
 *
 * Disjoint pairs: threads 0 and 1 conflict over a counter, threads 2 and 3 over another one, and so on. Each thread has
 * a function of its own, by which reports name it. usage: pairs [THREADS [ROUNDS [ALONE]]]. Before the others begin,
 * thread 0 makes ALONE transactions.
 */
#include "meeting.h"
#include "program.h"

#include <sched.h>
#include <stdatomic.h>

enum { PAIRS = 32, WORK = 300 };

static struct {
	_Alignas(64) uint64_t value;
} counters[PAIRS];

static unsigned threads, rounds, alone;
static atomic_bool is_begun;

#define RAISE(name)                                                   \
	static __attribute__((noinline)) void name(uint64_t *counter) \
	{                                                             \
		__transaction_atomic                                  \
		{                                                     \
			meeting_enter();                              \
			*counter += 1;                                \
			program_work(WORK);                           \
			meeting_hold();                               \
		}                                                     \
	}
/* Each on one line: a place is a function here. */
RAISE(raise_0)
RAISE(raise_1)
RAISE(raise_2)
RAISE(raise_3)

static void (*const raises[])(uint64_t *) = {raise_0, raise_1, raise_2, raise_3};

static void wait_for_first(unsigned number)
{
	for (unsigned i = 0; number == 0 && i < alone; i++)
		raises[0](&counters[0].value);
	if (number == 0)
		is_begun = true;
	while (!is_begun)
		sched_yield();
}

static void body(unsigned number)
{
	wait_for_first(number);
	meeting_join(number, threads, program_meetings());
	for (unsigned i = 0; i < rounds; i++) {
		meeting_next();
		raises[number % 4](&counters[number / 2].value);
		program_work(WORK / 3);
	}
}

int main(int argc, char **argv)
{
	threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 1000);
	alone = argc > 3 ? program_number(argc, argv, 3, 1) : 0;
	program_run(threads, body);
	uint64_t sum = 0;
	for (unsigned i = 0; i < PAIRS; i++)
		sum += counters[i].value;
	return program_result(sum == (uint64_t)rounds * threads + alone, sum);
}

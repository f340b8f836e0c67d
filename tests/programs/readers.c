/* SPDX-License-Identifier: MIT
 *
 * A transaction that has written waits at commit for transactions that have read before, by construction. All threads
 * but thread 0 read at the same time. Thread 1 leaves last: it stays until all others are about to commit, and then
 * longer than these need for another attempt. usage: readers [THREADS [ROUNDS [MICROSECONDS]]]
 */
#include "meet.h"
#include "program.h"

#define PLACE __attribute__((noinline))

enum { MAX_THREADS = 64 };

static struct {
	_Alignas(64) uint64_t value;
} book, notes;

static unsigned threads, rounds, us;
static unsigned inside[MAX_THREADS], leaving[MAX_THREADS], written, done;
static _Alignas(64) uint64_t sums[MAX_THREADS];

/* Within the transactions nothing shared is read between the two readings of the book: under gl_wt any reading would
 * end an attempt when another thread has written. */
static PLACE uint64_t read_long(unsigned number, unsigned round)
{
	unsigned others = threads > 2 ? threads - 2 : 0, short_us = us;
	uint64_t sum;
	__transaction_atomic
	{
		sum = book.value;
		meet_say(&inside[number], round);
		meet_stay(&written, 1, round, short_us);
		meet_stay(&leaving[2], others, round, 4 * short_us);
		sum -= book.value;
	}
	return sum;
}

static PLACE uint64_t read_less(unsigned number, unsigned round)
{
	unsigned short_us = us;
	uint64_t sum;
	__transaction_atomic
	{
		sum = book.value;
		meet_say(&inside[number], round);
		meet_stay(&written, 1, round, short_us);
		sum -= book.value;
		meet_say(&leaving[number], round);
	}
	return sum;
}

/* What it writes the others do not read, so that it aborts none. */
static PLACE void write_beside(unsigned round)
{
	__transaction_atomic
	{
		notes.value++;
		meet_say(&written, round);
	}
}

static void body(unsigned number)
{
	for (unsigned round = 1; round <= rounds; round++) {
		if (number != 0) {
			sums[number] += number == 1 ? read_long(number, round) : read_less(number, round);
			meet_await(&done, round);
			continue;
		}
		for (unsigned other = 1; other < threads; other++)
			meet_await(&inside[other], round);
		write_beside(round);
		meet_say(&done, round);
	}
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;
	threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 3);
	us = program_number(argc, argv, 3, 1000);
	program_run(threads, body);
	for (unsigned i = 0; i < threads; i++)
		sum += sums[i];
	return program_result(notes.value == rounds && sum == 0, notes.value + sum);
}

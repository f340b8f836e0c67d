/* SPDX-License-Identifier: MIT
 *
 * Both halves of the threads run the same transaction, each by a way of its own, and write in a function that the
 * transaction calls: only their callers differ. Now and then a caller further out differs, or the stack is deeper or
 * has a variable-length array. usage: callers [THREADS [ROUNDS]]     with MEETINGS in the environment, left and right
 * lose in turns at the beginning
 */
#include "meeting.h"
#include "program.h"

enum { WORK = 300 };

static struct {
	_Alignas(64) uint64_t value;
} counter;

static unsigned threads, rounds;

__attribute__((noinline, transaction_safe)) void raise_value(uint64_t *value)
{
	*value += 1;
	program_work(WORK);
}

__attribute__((noinline)) unsigned transact(void)
{
	__transaction_atomic
	{
		meeting_enter();
		raise_value(&counter.value);
		program_work(WORK);
		meeting_hold();
	}
	return 1;
}

__attribute__((noinline)) unsigned come_from_left(void)
{
	return transact() + 1;
}

__attribute__((noinline)) unsigned come_from_right(unsigned n)
{
	volatile char room[n + 1];
	room[n] = 1;
	return transact() + (unsigned)room[n];
}

static void body(unsigned number)
{
	unsigned sum = 0;
	meeting_join(number, threads, program_meetings());
	for (unsigned i = 0; i < rounds; i++) {
		meeting_next();
		sum += number % 2 == 0 ? come_from_left() : come_from_right(16 * (i % 8));
		program_work(WORK / 3);
	}
	if (sum != 2 * rounds)
		counter.value = 0;
}

int main(int argc, char **argv)
{
	threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 1000);
	program_run(threads, body);
	return program_result(counter.value == (uint64_t)rounds * threads, counter.value);
}

/* SPDX-License-Identifier: MIT
 *
 * Each half of the threads comes to one and the same transaction by a way of its own, and writes
 * in a function that the transaction calls: what the two write at can be told apart by their callers only.
 * Now and then a caller further out differs, and the stack is deeper or has a variable array in it.
 * usage: callers [THREADS [ROUNDS]]
 */
#include "program.h"

enum { WORK = 300 };

static struct {
	_Alignas(64) uint64_t value;
} counter;

static unsigned rounds;

__attribute__((noinline, transaction_safe)) void raise_value(uint64_t *value)
{
	*value += 1;
	program_work(WORK);
}

__attribute__((noinline)) unsigned transact(void)
{
	__transaction_atomic
	{
		raise_value(&counter.value);
		program_work(WORK);
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
	for (unsigned i = 0; i < rounds; i++) {
		sum += number % 2 == 0 ? come_from_left() : come_from_right(16 * (i % 8));
		program_work(WORK / 3);
	}
	if (sum != 2 * rounds)
		counter.value = 0;
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 1000);
	program_run(threads, body);
	return program_result(counter.value == (uint64_t)rounds * threads, counter.value);
}

/* SPDX-License-Identifier: MIT
 *
 * Transactions of known lengths: `read_some` reads 100 words and writes one, `read_many` reads more than the agent
 * records, and `write_one` reads nothing. usage: reads [THREADS [ROUNDS]]
 */
#include "program.h"

/* Words are APART, so that gcc reads no two of them at once. */
enum { SOME = 100, MANY = 6000, MAX_THREADS = 64, APART = 3 };

static _Alignas(64) uint64_t words[MANY * APART];
static _Alignas(64) uint64_t sums[MAX_THREADS][8];
static unsigned rounds;

static __attribute__((noinline)) void read_some(unsigned number)
{
	__transaction_atomic
	{
		uint64_t sum = 0;
		for (unsigned i = 0; i < SOME; i++)
			sum += words[i * APART];
		sums[number][0] = sum + 1;
	}
}

static __attribute__((noinline)) void read_many(unsigned number)
{
	__transaction_atomic
	{
		uint64_t sum = 0;
		for (unsigned i = 0; i < MANY; i++)
			sum += words[i * APART];
		sums[number][1] = sum + 1;
	}
}

static __attribute__((noinline)) void write_one(unsigned number, uint64_t value)
{
	__transaction_atomic
	{
		sums[number][2] = value;
	}
}

static void body(unsigned number)
{
	for (unsigned i = 1; i <= rounds; i++) {
		read_some(number);
		read_many(number);
		write_one(number, i);
	}
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 200);
	for (unsigned i = 0; i < MANY; i++)
		words[i * APART] = i;
	program_run(threads, body);
	bool is_right = sums[0][0] == 1 + SOME * (SOME - 1) / 2 && sums[0][1] == 1 + MANY * (MANY - 1) / 2;
	return program_result(is_right && sums[0][2] == rounds, sums[0][2]);
}

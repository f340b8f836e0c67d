/* SPDX-License-Identifier: MIT
 *
 * Write-read: every other thread writes, the others read. Outside of transactions all words are equal; a reader that
 * sees two different ones has seen a transaction in the middle.
 */
#include "program.h"

enum { WORDS = 16, ROUNDS = 1000 };

static struct {
	_Alignas(64) uint64_t value;
} words[WORDS];

static uint64_t torn;

static __attribute__((noinline)) void raise_all(void)
{
	__transaction_atomic
	{
		for (unsigned i = 0; i < WORDS; i++)
			words[i].value++;
	}
}

static __attribute__((noinline)) bool is_consistent(void)
{
	bool is_same = true;
	__transaction_atomic
	{
		for (unsigned i = 1; i < WORDS; i++)
			is_same = is_same && words[i].value == words[0].value;
	}
	return is_same;
}

static void body(unsigned number)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		if (number % 2 == 0)
			raise_all();
		else if (!is_consistent())
			__atomic_fetch_add(&torn, 1, __ATOMIC_RELAXED);
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	program_run(threads, body);
	uint64_t sum = 0;
	for (unsigned i = 0; i < WORDS; i++)
		sum += words[i].value;
	return program_result(torn == 0 && sum == (uint64_t)WORDS * ROUNDS * ((threads + 1) / 2), sum);
}

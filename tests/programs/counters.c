/* SPDX-License-Identifier: MIT
 *
 * Write-write: every thread adds to every counter, in an order of its own, so that each of two threads may hold the
 * lock that the other one needs.
 */
#include "program.h"

enum { COUNTERS = 4, ROUNDS = 1000 };

static struct {
	_Alignas(64) uint64_t value;
} counters[COUNTERS];

static __attribute__((noinline)) void add_to_all(unsigned first, uint64_t amount)
{
	__transaction_atomic
	{
		for (unsigned i = 0; i < COUNTERS; i++)
			counters[(first + i) % COUNTERS].value += amount;
	}
}

static void body(unsigned number)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		add_to_all(number + i, number + 1);
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	program_run(threads, body);
	uint64_t expected = (uint64_t)ROUNDS * threads * (threads + 1) / 2, sum = 0;
	bool is_right = true;
	for (unsigned i = 0; i < COUNTERS; i++) {
		is_right = is_right && counters[i].value == expected;
		sum += counters[i].value * (i + 1);
	}
	return program_result(is_right, sum);
}

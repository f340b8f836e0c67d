/* SPDX-License-Identifier: MIT
 *
 * Two transactions, each in a function that is called in several ways: inlined, from another function, from one that is
 * inlined itself, and as the last thing that a function does (a tail call). With ROUNDS by each of the threads, put()
 * commits ROUNDS times by way of store_one(), and 2 * ROUNDS times by way of store_two(); take() ROUNDS times each by
 * way of call(), end_with(), end_with_either(), and both lines of call_twice(). usage: ways [THREADS [ROUNDS]]
 */
#include "program.h"

static struct {
	_Alignas(64) uint64_t value;
	bool is_reached;
} cells[64];

static unsigned rounds;

static inline uint64_t put(uint64_t at)
{
	uint64_t value;
	__transaction_atomic
	{
		value = cells[at % 64].value += 2;
	}
	return value;
}

__attribute__((noinline)) uint64_t store_one(uint64_t at)
{
	return put(at) != 0;
}

__attribute__((noinline)) uint64_t store_two(uint64_t at)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < 2; i++)
		sum += put(at + i) != 0;
	return sum;
}

__attribute__((noinline)) uint64_t take(uint64_t at)
{
	uint64_t value;
	__transaction_atomic
	{
		value = --cells[at % 64].value;
	}
	return value + 1 != 0;
}

__attribute__((noinline)) uint64_t call(uint64_t at)
{
	return take(at) + 1;
}

__attribute__((noinline)) uint64_t end_with(uint64_t at)
{
	return take(at + 1);
}

__attribute__((noinline)) uint64_t end_with_either(uint64_t at)
{
	if (rounds == 1)
		return take(at);
	cells[at % 64].is_reached = true;
	return take(at % 64);
}

static inline uint64_t call_between(uint64_t at)
{
	return take(at) + 2;
}

__attribute__((noinline)) uint64_t call_twice(uint64_t at)
{
	uint64_t sum = call_between(at + 1);
	sum += call_between(at);
	return sum;
}

static void body(unsigned number)
{
	uint64_t sum = 0;
	for (unsigned i = 0; i < rounds; i++) {
		sum += store_one(number) + store_two(number);
		sum += call(number) + end_with(number) + end_with_either(number) + call_twice(number);
	}
	if (sum != 13 * rounds)
		cells[0].value = 1;
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	uint64_t sum = 0;
	rounds = program_number(argc, argv, 2, 1000);
	program_run(threads, body);
	for (unsigned i = 0; i < 64; i++)
		sum += cells[i].value;
	return program_result(sum == (uint64_t)rounds * threads, sum);
}

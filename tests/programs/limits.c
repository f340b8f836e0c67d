/* SPDX-License-Identifier: MIT
 *
 * Transactions that no processor runs in hardware: with an instruction that is not allowed there, and with more cache
 * lines than the processor can watch. usage: limits [THREADS [ROUNDS [WHICH [LINES]]]]     WHICH: 1, the instruction;
 * 2, the lines; 3, both
 */
#include "program.h"

#include <stdlib.h>

enum { LINE = 64 / sizeof(uint64_t) };

static unsigned rounds, which, lines;
static uint64_t *data, sum;

#if defined(__x86_64__)
#include <cpuid.h>
__attribute__((transaction_pure, noinline)) static uint64_t ask_processor(void)
{
	unsigned a, b, c, d;
	__cpuid(0, a, b, c, d);
	return a != 0;
}
#endif

static __attribute__((noinline)) void ask_within(void)
{
	__transaction_atomic
	{
		sum += ask_processor();
	}
}

static __attribute__((noinline)) void read_all(void)
{
	__transaction_atomic
	{
		uint64_t found = 1;
		for (unsigned i = 0; i < lines; i++)
			found += data[i * LINE];
		sum += found;
	}
}

static void body(unsigned number)
{
	(void)number;
	for (unsigned i = 0; i < rounds; i++) {
		if (which & 1)
			ask_within();
		if (which & 2)
			read_all();
	}
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	rounds = program_number(argc, argv, 2, 100);
	which = program_number(argc, argv, 3, 3);
	lines = program_number(argc, argv, 4, 100);
	data = calloc(lines, LINE * sizeof *data);
	if (data == NULL)
		return 2;
	for (unsigned i = 0; i < lines; i++) /* else each first touch would be a fault */
		data[i * LINE] = 0;
	program_run(threads, body);
	uint64_t expected = (uint64_t)threads * rounds * ((which & 1) + (which >> 1 & 1));
	free(data);
	return program_result(sum == expected, sum);
}

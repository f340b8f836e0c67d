/* SPDX-License-Identifier: MIT
 *
 * A transaction with which a function begins that is inlined: some compilers give its begin the line of the call.
 */
#include "program.h"

static long cells[64];
static volatile int rounds = 1000;

__attribute__((transaction_safe)) static long sum_from(int from)
{
	long sum = 0;
	for (int i = from; i < 64; i++)
		sum += cells[i];
	return sum;
}

static void enter(int from)
{
	__transaction_atomic
	{
		cells[from] = sum_from(from); /* the first line */
	}
}

static void work(unsigned number)
{
	(void)number;
	for (int i = 0; i < rounds; i++)
		enter(i & 31);
}

int main(int argc, char **argv)
{
	program_run(program_threads(argc, argv), work);
	return program_result(cells[0] == 0, 0);
}

/* SPDX-License-Identifier: MIT
 *
 * Two halves of a picture are sharpened, each by a thread of its own, one row in a transaction. The fault is not in the
 * program: with the method serialirr libitm runs one transaction at a time, although the halves have nothing in common.
 * usage: one-at-a-time with|without
 */
#include "program.h"

enum { THREADS = 2, ROWS = 64, ROUNDS = 40, SHARPENING = 200000 };

static struct half {
	_Alignas(64) uint64_t rows[ROWS];
} halves[THREADS];

static __attribute__((noinline)) void sharpen(uint64_t *row)
{
	__transaction_atomic
	{
		uint64_t before = *row;
		program_work(SHARPENING);
		*row = before + 1;
	}
}

static void sharpen_half(unsigned number)
{
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < ROWS; i++)
			sharpen(&halves[number].rows[i]);
}

int main(int argc, char **argv)
{
	uint64_t sum = 0;
	program_has_fault(argc, argv);
	program_run(THREADS, sharpen_half);
	for (unsigned i = 0; i < THREADS; i++)
		for (unsigned k = 0; k < ROWS; k++)
			sum += halves[i].rows[k];
	return program_result(sum == THREADS * ROWS * ROUNDS, sum);
}

/* SPDX-License-Identifier: MIT
 *
 * The product of matrices, again and again. A thread takes the next block of the result and computes it.
 */
#include "crew.h"

enum { SIDE = 32, BLOCK = 4, BLOCKS = SIDE * SIDE / BLOCK, BATCH = 16, THREADS = CREW_THREADS(2) };

static _Alignas(128) long left[SIDE][SIDE], right[SIDE][SIDE];
static _Alignas(128) long product[2][SIDE][SIDE];
static struct {
	_Alignas(128) long next;
} cursor;

/* The first of the next `len` blocks. */
TM_SAFE static long take_blocks(int len)
{
	long block = cursor.next;
	cursor.next = (block + len) % (2 * BLOCKS);
	return block;
}

TM_SAFE static void compute_block(long block)
{
	long first = block % BLOCKS * BLOCK, row = first / SIDE;
	for (long column = first % SIDE, end = column + BLOCK; column < end; column++) {
		long sum = 0;
		for (int i = 0; i < SIDE; i++)
			sum += left[row][i] * right[i][column];
		product[block / BLOCKS][row][column] = sum;
	}
}

#ifdef FIXED
static void next_block(void)
{
	long first;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		first = take_blocks(BATCH);
		stamp_last();
	}
	stamp_after();
	for (int i = 0; i < BATCH; i++) {
		stamp_before();
		__transaction_atomic
		{
			stamp_first();
			compute_block(first + i);
			stamp_last();
		}
		stamp_after();
	}
}
#else
static void next_block(void)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		long block = take_blocks(1);
		compute_block(block);
		stamp_last();
	}
	stamp_after();
}
#endif

/* Another input now and then. */
static void replace(struct member *me)
{
	uint64_t row = member_random(me, SIDE), column = member_random(me, SIDE);
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		left[row][column]++;
		stamp_last();
	}
	stamp_after();
}

static void multiply(struct member *me)
{
	for (long i = 0; is_open(); i++) {
		next_block();
		if (i % 1000 == 0)
			replace(me);
	}
}

int main(int argc, char **argv)
{
	for (int i = 0; i < SIDE * SIDE; i++) {
		left[i / SIDE][i % SIDE] = i;
		right[i / SIDE][i % SIDE] = 3 * i + 1;
	}
	return crew_run(argc, argv, THREADS, multiply);
}

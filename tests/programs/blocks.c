/* SPDX-License-Identifier: MIT
 *
 * Whole blocks: memset, memcpy and memmove of shared memory within transactions. A
 * block's bytes are all equal outside transactions.
 */
#include "program.h"

#include <string.h>

enum { BYTES = 200, ROUNDS = 400 };

static struct block {
	_Alignas(64) unsigned char bytes[BYTES];
} blocks[2];

static uint64_t mixed;

static __attribute__((noinline)) void fill(unsigned which, int byte)
{
	__transaction_atomic
	{
		memset(blocks[which].bytes, byte, BYTES);
	}
}

static __attribute__((noinline)) void copy(unsigned which)
{
	__transaction_atomic
	{
		memcpy(blocks[1 - which].bytes, blocks[which].bytes, BYTES);
	}
}

static __attribute__((noinline)) void slide(unsigned which, size_t distance)
{
	__transaction_atomic
	{
		memmove(blocks[which].bytes + distance, blocks[which].bytes, BYTES - distance);
	}
}

static bool is_uniform(unsigned which)
{
	struct block seen;
	__transaction_atomic
	{
		memcpy(seen.bytes, blocks[which].bytes, BYTES);
	}
	for (unsigned i = 1; i < BYTES; i++)
		if (seen.bytes[i] != seen.bytes[0])
			return false;
	return true;
}

static void body(unsigned number)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		fill(i % 2, (int)((number + i) % 256));
		copy(i % 2);
		slide(i % 2, 1 + i % 7);
		if (!is_uniform(0) || !is_uniform(1))
			__atomic_fetch_add(&mixed, 1, __ATOMIC_RELAXED);
	}
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	program_run(threads, body);
	return program_result(mixed == 0, mixed * 1000 + threads);
}

/* SPDX-License-Identifier: MIT
 *
 * In one round of three the program cancels the outermost transaction after it has written. This is no conflict, and
 * the transaction is not tried again.
 *
 * A plain store is cancelled (nested.c says why). The program must be run with ITM_DEFAULT_METHOD set: while threads
 * start, libitm's default method may make a transaction irrevocable that has a cancel in it, and then calls abort().
 */
#include "program.h"

enum { ROUNDS = 900, NOBODY = 1000 };

static struct {
	_Alignas(64) uint64_t value;
} accepted, refused_one = {NOBODY};

static __attribute__((noinline)) void offer(uint64_t amount, bool is_refused)
{
	__transaction_atomic
	{
		if (is_refused) {
			refused_one.value = amount;
			__transaction_cancel;
		}
		accepted.value += amount;
	}
}

static void body(unsigned number)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		offer(number + 1, i % 3 == 0);
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	program_run(threads, body);
	uint64_t expected = (uint64_t)(ROUNDS / 3 * 2) * threads * (threads + 1) / 2;
	return program_result(accepted.value == expected && refused_one.value == NOBODY, accepted.value);
}

/* SPDX-License-Identifier: MIT
 *
 * A struct is assigned to itself. ml_wt moves it block by block, meets its own lock, and restarts until the transaction
 * runs alone. There is no other transaction in the way.
 */
#include "program.h"

enum { WORDS = 16, ROUNDS = 20 };

static struct record {
	uint64_t words[WORDS];
} record;

/* noipa: the compiler must not see that both are the same record. */
static __attribute__((noipa)) void assign(struct record *to, const struct record *from)
{
	__transaction_atomic
	{
		*to = *from;
	}
}

static __attribute__((noinline)) void count(struct record *to)
{
	__transaction_atomic
	{
		to->words[0]++;
	}
}

static void body(unsigned number)
{
	(void)number;
	for (unsigned i = 0; i < ROUNDS; i++) {
		assign(&record, &record);
		count(&record);
	}
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	program_run(threads, body);
	return program_result(record.words[0] == (uint64_t)ROUNDS * threads, record.words[0]);
}

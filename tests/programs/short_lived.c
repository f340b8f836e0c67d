/* SPDX-License-Identifier: MIT
 *
 * Many threads that live for a few transactions each, a few at a time. usage: short_lived [THREADS [TRANSACTIONS]]
 */
#include "program.h"
#include "total.h"

enum { ROUNDS = 50 };
static unsigned transactions;

static void body(unsigned number)
{
	for (unsigned i = 0; i < transactions; i++)
		total_add(number + 1);
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	transactions = program_number(argc, argv, 2, 1);
	for (unsigned i = 0; i < ROUNDS; i++)
		program_run(threads, body);
	uint64_t total = total_read();
	return program_result(total == (uint64_t)ROUNDS * transactions * threads * (threads + 1) / 2, total);
}

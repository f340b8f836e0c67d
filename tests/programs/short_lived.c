/* SPDX-License-Identifier: MIT
 *
 * Many threads that live for one transaction each, a few at a time.
 */
#include "program.h"
#include "total.h"

enum { ROUNDS = 50 };

static void body(unsigned number)
{
	total_add(number + 1);
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	for (unsigned i = 0; i < ROUNDS; i++)
		program_run(threads, body);
	uint64_t total = total_read();
	return program_result(total == (uint64_t)ROUNDS * threads * (threads + 1) / 2, total);
}

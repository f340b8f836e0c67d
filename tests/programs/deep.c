/* SPDX-License-Identifier: MIT
 *
 * Transactions at the bottom of a recursion that is deeper than any traceback.
 */
#include "program.h"
#include "total.h"

enum { DEPTH = 300, ROUNDS = 200 };

/* Not a tail call: every level keeps its frame. */
static __attribute__((noinline)) unsigned descend(unsigned levels, uint64_t amount)
{
	if (levels == 0) {
		total_add(amount);
		return 0;
	}
	return 1 + descend(levels - 1, amount);
}

static void body(unsigned number)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		descend(DEPTH, number + 1);
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	program_run(threads, body);
	uint64_t total = total_read();
	return program_result(total == (uint64_t)ROUNDS * threads * (threads + 1) / 2, total);
}

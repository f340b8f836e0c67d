/* SPDX-License-Identifier: MIT
 *
 * Two branches of a bank, each with its own book: an entry is begun, checked, and completed in one transaction. The
 * fault is not in the program: with the method gl_wt libitm has one lock for all memory, so that a branch that has
 * begun an entry holds up the other one. usage: one-lock with|without
 */
#include "program.h"

enum { BRANCHES = 2, ENTRIES = 2500, CHECKING = 200000 };

static struct book {
	_Alignas(64) uint64_t begun;
	uint64_t completed;
} books[BRANCHES];

static __attribute__((noinline)) void enter(struct book *book)
{
	__transaction_atomic
	{
		book->begun++;
		program_work(CHECKING);
		book->completed++;
	}
}

static void work_in_branch(unsigned number)
{
	for (unsigned i = 0; i < ENTRIES; i++)
		enter(&books[number]);
}

int main(int argc, char **argv)
{
	uint64_t completed = 0;
	bool is_right = true;
	program_has_fault(argc, argv);
	program_run(BRANCHES, work_in_branch);
	for (unsigned i = 0; i < BRANCHES; i++) {
		completed += books[i].completed;
		is_right = is_right && books[i].begun == books[i].completed;
	}
	return program_result(is_right && completed == BRANCHES * ENTRIES, completed);
}

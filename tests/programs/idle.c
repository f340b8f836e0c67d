/* SPDX-License-Identifier: MIT
 *
 * Linked with libitm, but never begins a transaction: threads, malloc and exit only.
 */
#include "program.h"
#include "total.h"

#include <stdlib.h>

static void body(unsigned number)
{
	free(malloc(number + 1));
	if (getenv("NOBODY_SETS_THIS") != NULL)
		total_add(number);
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	program_run(threads, body);
	return program_result(true, threads);
}

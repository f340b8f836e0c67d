/* SPDX-License-Identifier: MIT
 *
 * Leaves by _exit(), past every exit handler.
 */
#include "program.h"
#include "total.h"

#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	program_run(threads, total_rounds);
	uint64_t total = total_read();
	int status = program_result(total == total_expected(threads), total);
	fflush(stdout);
	_exit(status);
}

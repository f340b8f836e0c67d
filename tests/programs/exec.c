/* SPDX-License-Identifier: MIT
 *
 * A process that has transacted becomes another program, which transacts too.
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
	if (status != 0 || argc > 2)
		return status;
	fflush(stdout);
	execl("/proc/self/exe", argv[0], argc > 1 ? argv[1] : "2", "again", (char *)NULL);
	return 3;
}

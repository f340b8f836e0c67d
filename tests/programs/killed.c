/* SPDX-License-Identifier: MIT
 *
 * Dies by a signal after its transactions; its parent must see that.
 */
#include "program.h"
#include "total.h"

#include <signal.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	program_run(threads, total_rounds);
	uint64_t total = total_read();
	int status = program_result(total == total_expected(threads), total);
	fflush(stdout);
	if (status == 0)
		raise(SIGTERM);
	return status;
}

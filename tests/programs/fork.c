/* SPDX-License-Identifier: MIT
 *
 * A process that has transacted forks, and both go on transacting. The child has one thread, and a copy of the data
 * that the profiler and libitm keep of the others.
 */
#include "program.h"
#include "total.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void live_as_child(uint64_t before)
{
	total_rounds(0);
	uint64_t total = total_read();
	exit(program_result(total == before + total_expected(1), total));
}

int main(int argc, char **argv)
{
	unsigned threads = program_threads(argc, argv);
	program_run(threads, total_rounds);
	uint64_t before = total_read();
	pid_t child = fork();
	if (child == 0)
		live_as_child(before);
	int status = 0;
	bool is_well =
		child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	program_run(threads, total_rounds);
	uint64_t total = total_read();
	return program_result(is_well && total == 2 * total_expected(threads), total);
}

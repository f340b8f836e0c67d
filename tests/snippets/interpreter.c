/* SPDX-License-Identifier: MIT
 * Runs the interpreter of runtimes/README.md: the collector gives the memory of one code object to another one.
 *
 * report: where +prog.py:12 +transfer
 * report: where +prog.py:30 +audit
 */
#include "interpreter.h"

static struct code code; /* all memory that there is for code objects */
static struct tb_stack *stack;

static void run(struct stmlog_thread *log, uint32_t line)
{
	code_is_entered(stack, &code, line - 1);
	code_is_at(stack, &code, line);
	stmlog_start(log);
	stmlog_abort_asked(log, "NOT_YET");
	stmlog_retry(log);
	stmlog_commit(log);
	code_is_left(stack);
}

/* With an argument no profiler is opened. */
int main(int argc, char **argv)
{
	(void)argv;
	if (argc == 1 && stmlog_open(NULL) != 0)
		return 1;
	struct stmlog_thread *log = stmlog_thread_attach();
	stack = stmlog_thread_stack(log);
	code_is_created(&code, "transfer", "prog.py");
	run(log, 12);
	code_is_created(&code, "audit", "prog.py");
	run(log, 30);
	return 0;
}

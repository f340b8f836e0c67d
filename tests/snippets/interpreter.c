/* SPDX-License-Identifier: MIT
 * Runs the interpreter of runtimes/README.md: the collector gives the memory of one code object to another one.
 *
 * report: where +prog.py:12 +transfer
 * report: where +prog.py:30 +audit
 */
#include <stmlog/runtime.h>

#include "interpreter.h"

static struct {
	uintptr_t number;
} code; /* all memory that there is for code objects */

static void run(struct stmlog_thread *log, uint32_t line)
{
	code_is_entered(log, code.number, line - 1);
	stmlog_update(log, tb_site_make(code.number, line));
	stmlog_start(log);
	stmlog_abort(log, NULL);
	stmlog_retry(log);
	stmlog_commit(log);
	stmlog_pop(log);
}

/* With an argument no profiler is opened. */
int main(int argc, char **argv)
{
	(void)argv;
	if (argc == 1 && stmlog_open(NULL) != 0)
		return 1;
	struct stmlog_thread *log = stmlog_thread_open(NULL);
	code.number = tb_code_intern("transfer", "prog.py");
	run(log, 12);
	code.number = tb_code_intern("audit", "prog.py");
	run(log, 30);
	return 0;
}

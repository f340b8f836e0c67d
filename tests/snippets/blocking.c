/* SPDX-License-Identifier: MIT
 * Runs the retry of runtimes/README.md: a transaction is woken in vain, and then not.
 *
 * report: ^blocked +.* 2 +
 * report: [Ii]n vain
 */
#include <stmlog/runtime.h>

#include "blocking.h"

#include <time.h>

static void nap(void)
{
	static const struct timespec length = {0, 1000000};
	nanosleep(&length, NULL);
}

/* With an argument no profiler is opened. */
int main(int argc, char **argv)
{
	(void)argv;
	if (argc == 1 && stmlog_open(NULL) != 0)
		return 1;
	struct stmlog_thread *log = stmlog_thread_open(NULL);
	stmlog_push(log, TB_HERE());
	stmlog_start(log);
	tx_retries(log, nap);
	tx_retries(log, nap);
	stmlog_commit(log);
	stmlog_pop(log);
	return 0;
}

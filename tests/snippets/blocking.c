/* SPDX-License-Identifier: MIT
 * Runs the retry of runtimes/README.md: a transaction is woken in vain, and then not.
 *
 * report: ^blocked +.* 2 +
 * report: [Ii]n vain
 */
#include "blocking.h"

#include <time.h>

static void nap(struct tx *tx)
{
	static const struct timespec length = {0, 1000000};
	(void)tx;
	nanosleep(&length, NULL);
}

/* With an argument no profiler is opened. */
int main(int argc, char **argv)
{
	struct tx tx;
	(void)argv;
	if (argc == 1 && stmlog_open(NULL) != 0)
		return 1;
	tx.log = stmlog_thread_attach();
	stmlog_push(stmlog_thread_stack(tx.log), TB_HERE());
	stmlog_start(tx.log);
	tx_retries(&tx, nap);
	tx_retries(&tx, nap);
	stmlog_commit(tx.log);
	stmlog_pop(stmlog_thread_stack(tx.log));
	return 0;
}

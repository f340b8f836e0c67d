/* SPDX-License-Identifier: MIT
 * Runs the reads of runtimes/README.md: a transaction finds at its end that what it has read before is not valid.
 *
 * report: self-abort, write-read, CHANGED
 * report: cheap.c:[0-9]+ +read_it
 */
#include <stmlog/runtime.h>

#include "cheap.h"

static void read_it(struct tx *tx)
{
	stmlog_push(tx->log, TB_HERE());
	tx_reads(tx, 1);
	stmlog_pop(tx->log);
}

static void find_it_changed(struct tx *tx)
{
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "CHANGED");
	STMLOG_ONLY(loss.own = tx->next_read[-1].origin;)
	stmlog_abort(tx->log, &loss);
}

/* With an argument no profiler is opened. */
int main(int argc, char **argv)
{
	struct read read = {.version = 0};
	(void)argv;
#ifdef STMLOG_OFF
	_Static_assert(sizeof read == sizeof read.version, "STMLOG_ONLY() leaves nothing");
#endif
	if (argc == 1 && stmlog_open(NULL) != 0)
		return 1;
	struct tx tx = {.next_read = &read, .log = stmlog_thread_open(NULL)};
	stmlog_start(tx.log);
	read_it(&tx);
	find_it_changed(&tx);
	stmlog_retry(tx.log);
	stmlog_commit(tx.log);
	return read.version != 1;
}

/* SPDX-License-Identifier: MIT
 * Runs the eager runtime of runtimes/README.md: a transaction holds the lock. Another one waits for it, aborts because
 * of it, and is killed by it. Then one that is not measured holds the lock: nobody takes it for the one before.
 *
 * report: self-abort, write-write, LOCKED
 * report: pause, write-write, LOCKED
 * report: aborted-by-other, write-write, LOCKED
 * report: where .*eager.c:[0-9]+ +lose
 * report: eager.c:[0-9]+ +lock_and_hold
 * report: blocked by +unknown
 */
#include <stmlog/runtime.h>

#include "eager.h"

#include <pthread.h>

static int object;
static struct write held;

static void do_nothing(void)
{
}

static void lose(struct tx *tx)
{
	stmlog_push(tx->log, TB_HERE());
	tx_begins(tx, false);
	tx_waits_for(tx, &held, &object, do_nothing);
	tx_aborts(tx, &held, &object);
	tx_begins(tx, true);
	tx->killer = held.origin;
	tx_aborts(tx, NULL, &object);
	tx_begins(tx, true);
	stmlog_commit(tx->log);
	stmlog_pop(tx->log);
}

static void *be_second(void *unused)
{
	struct tx second = {.log = stmlog_thread_open(NULL), .killer = 0};
	lose(&second);
	return unused;
}

static void lock_and_hold(struct tx *holder)
{
	pthread_t thread;
	stmlog_push(holder->log, TB_HERE());
	tx_begins(holder, false);
	tx_is_about_to_lock(holder, &held);
	pthread_create(&thread, NULL, be_second, NULL);
	pthread_join(thread, NULL);
	stmlog_commit(holder->log);
	stmlog_pop(holder->log);
}

/* With an argument no profiler is opened. */
int main(int argc, char **argv)
{
	(void)argv;
	if (argc == 1 && stmlog_open(NULL) != 0)
		return 1;
	struct tx first = {.log = stmlog_thread_open(NULL), .killer = 0}, unmeasured = {.log = NULL, .killer = 0};
	lock_and_hold(&first);
	lock_and_hold(&unmeasured);
	return 0;
}

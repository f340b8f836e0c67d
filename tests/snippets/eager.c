/* SPDX-License-Identifier: MIT
 * Runs the eager runtime of runtimes/README.md: one transaction holds the lock, another one aborts because of it.
 *
 * report: self-abort, write-write, LOCKED
 * report: where +eager.c:[0-9]+ +lose
 * report: eager.c:[0-9]+ +lock_and_hold
 */
#include "eager.h"

#include <pthread.h>

static int object;
static struct tx first;

static void lose(struct tx *tx)
{
	stmlog_push(stmlog_thread_stack(tx->log), TB_HERE());
	tx_begins(tx, false);
	tx_aborts_because_of(tx, &object, &first);
	tx_begins(tx, true);
	tx_commits(tx);
	stmlog_pop(stmlog_thread_stack(tx->log));
}

static void *be_second(void *unused)
{
	struct tx second;
	tx_thread_begins(&second);
	lose(&second);
	return unused;
}

static void lock_and_hold(void)
{
	pthread_t thread;
	stmlog_push(stmlog_thread_stack(first.log), TB_HERE());
	tx_begins(&first, false);
	tx_is_about_to_lock(&first, &object);
	pthread_create(&thread, NULL, be_second, NULL);
	pthread_join(thread, NULL);
	tx_commits(&first);
	stmlog_pop(stmlog_thread_stack(first.log));
}

/* With an argument no profiler is opened. */
int main(int argc, char **argv)
{
	(void)argv;
	if (argc == 1 && stmlog_open(NULL) != 0)
		return 1;
	tx_thread_begins(&first);
	lock_and_hold();
	return 0;
}

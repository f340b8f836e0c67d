/* SPDX-License-Identifier: MIT
 * Runs the lazy runtime of runtimes/README.md: a transaction reads a word whose lock is held, and then a word whose
 * writer has committed and ended.
 *
 * report: self-abort, write-read, LOCKED
 * report: self-abort, write-read, CHANGED
 * report: where +lazy.c:[0-9]+ +read_it
 * report: lazy.c:[0-9]+ +write_it
 */
#include "lazy.h"

#include <pthread.h>

static int word;
static struct lock lock;
static struct tx reader;

static void read_it(void)
{
	stmlog_push(stmlog_thread_stack(reader.log), TB_HERE());
	tx_aborts_because_of(&reader, &word, &lock);
	stmlog_pop(stmlog_thread_stack(reader.log));
	tx_begins(&reader, true);
}

static void write_it(struct tx *tx, struct write *write)
{
	stmlog_push(stmlog_thread_stack(tx->log), TB_HERE());
	tx_buffers(tx, write);
	stmlog_pop(stmlog_thread_stack(tx->log));
}

/* The reader's hooks are called by this thread while the other one is in between its hooks, so one after the other. */
static void *be_writer(void *unused)
{
	struct tx writer = {.log = stmlog_thread_attach()};
	struct write write = {.word = &word, .origin = 0};
	tx_begins(&writer, false);
	write_it(&writer, &write);
	if (!tx_locks(&lock, 0, &write))
		return NULL;
	read_it();
	tx_unlocks(&lock, 1, &write);
	tx_commits(&writer);
	return unused;
}

/* With an argument no profiler is opened. */
int main(int argc, char **argv)
{
	pthread_t thread;
	if (argc == 1 && stmlog_open(NULL) != 0)
		return 1;
	reader.log = stmlog_thread_attach();
	tx_begins(&reader, false);
	pthread_create(&thread, NULL, be_writer, argv);
	pthread_join(thread, NULL);
	read_it();
	tx_commits(&reader);
	return 0;
}

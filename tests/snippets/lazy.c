/* SPDX-License-Identifier: MIT
 * Runs the lazy runtime of runtimes/README.md: a transaction reads a word whose lock is held. Then, at its commit, it
 * finds that a word that it has read before has been written since, by a thread that has ended.
 *
 * report: self-abort, write-read, LOCKED
 * report: self-abort, write-read, CHANGED
 * report: where .*lazy.c:[0-9]+ +read_it
 * report: lazy.c:[0-9]+ +write_it
 */
#include <stdatomic.h>
#include <stmlog/runtime.h>

#include "lazy.h"

#include <pthread.h>

static int word;
static struct lock lock;
static struct stmlog_thread *reader;

/* Returns the origin of the read. */
static uint64_t read_it(bool is_locked)
{
	stmlog_push(reader, TB_HERE());
	uint64_t origin = stmlog_origin(reader, TB_NO_SITE);
	if (is_locked) {
		tx_aborts_because_of(reader, &word, &lock, atomic_load(&lock.word), 0);
		stmlog_retry(reader);
	}
	stmlog_pop(reader);
	return origin;
}

static uint64_t write_it(struct stmlog_thread *writer)
{
	stmlog_push(writer, TB_HERE());
	uint64_t origin = stmlog_origin(writer, TB_NO_SITE);
	stmlog_pop(writer);
	return origin;
}

/* This thread makes the reader's calls, too: the reader waits for its end meanwhile. */
static void *be_writer(void *read)
{
	struct stmlog_thread *writer = stmlog_thread_open(NULL);
	stmlog_start(writer);
	uint64_t origin = write_it(writer);
	if (!tx_locks(&lock, 0, origin))
		return NULL;
	read_it(true);
	*(uint64_t *)read = read_it(false);
	tx_unlocks(&lock, 1, origin);
	stmlog_commit(writer);
	return read;
}

static void commit_in_vain(uint64_t read)
{
	tx_aborts_because_of(reader, &word, &lock, atomic_load(&lock.word), read);
	stmlog_retry(reader);
}

/* With an argument no profiler is opened. */
int main(int argc, char **argv)
{
	pthread_t thread;
	uint64_t read = 0;
	(void)argv;
	if (argc == 1 && stmlog_open(NULL) != 0)
		return 1;
	reader = stmlog_thread_open(NULL);
	stmlog_start(reader);
	pthread_create(&thread, NULL, be_writer, &read);
	pthread_join(thread, NULL);
	commit_in_vain(read);
	stmlog_commit(reader);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A print server: the first thread accepts a document about each 30 ms, and about twice a second prints all that
 * it has, in one transaction, which is irrevocable and sleeps until the printer is done. The other threads look how
 * many documents are waiting, about each microsecond, and wait at their begin as long as the printer works. Paper is
 * /dev/null. Plain `gcc -fgnu-tm`; it knows of no profiler.
 *
 * Invariant, in transactions and outside of them: the documents that were accepted wait or were printed.
 */
#include "run.h"
#include "stamps.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROOM = 4096 };
enum tally { LOOKS, WRONG, BATCHES };

static struct {
	_Alignas(64) long accepted;
	long waiting;
	long printed;
	long documents[ROOM]; /* number n is at n % ROOM */
} queue;

static FILE *paper;
static long batch_len;
static struct timespec print_time, gap;
static uint64_t work_between;

/* Takes the result of the work, so that the compiler does not leave it out. */
static _Thread_local volatile unsigned long worked;

static inline unsigned long work(unsigned long hash)
{
	for (uint64_t i = 0; i < work_between; i++)
		hash = (hash ^ (hash >> 7)) * 0x9e3779b97f4a7c15ul;
	return hash;
}

TM_RUNS static void accept_document(long document)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		queue.documents[queue.accepted % ROOM] = document;
		queue.accepted++;
		queue.waiting++;
		stamp_last();
	}
	stamp_after();
}

/* Not transaction-safe: a transaction that calls it becomes irrevocable. */
__attribute__((noinline)) static void print(long first, long len)
{
	for (long i = 0; i < len; i++)
		fprintf(paper, "%ld\n", queue.documents[(first + i) % ROOM]);
	fflush(paper);
	nanosleep(&print_time, NULL);
}

/* Irrevocable from its beginning, since each way through it prints. */
TM_RUNS static void print_all(void)
{
	stamp_before();
	__transaction_relaxed
	{
		stamp_first();
		print(queue.printed, queue.waiting);
		queue.printed += queue.waiting;
		queue.waiting = 0;
		stamp_last();
	}
	stamp_after();
}

/* Returns whether the queue is right. */
TM_RUNS static bool look(void)
{
	bool is_right;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		is_right = queue.accepted == queue.waiting + queue.printed;
		stamp_last();
	}
	stamp_after();
	return is_right;
}

/* Batches are complete when a third of their documents has come for the first time, so that short runs print, too. */
static void serve(struct worker *worker)
{
	if (worker->number != 0) {
		worker->tally[LOOKS]++;
		worker->tally[WRONG] += !look();
		worked += work(worker->random);
	} else if ((long)(worker->operations % (uint64_t)batch_len) == batch_len / 3) {
		print_all();
		worker->tally[BATCHES]++;
	} else {
		accept_document((long)worker_random(worker, 1000));
		nanosleep(&gap, NULL);
	}
}

int main(int argc, char **argv)
{
	struct run run = RUN_DEFAULTS;
	double batch = 11, print_ms = 200, gap_us = 28000, rounds = 1000;
	const struct option_row rows[] = {
		RUN_OPTIONS(&run),
		{"batch", &batch, 1, ROOM, true, "documents that are printed together"},
		{"print", &print_ms, 0, 999, true, "milliseconds to print them"},
		{"gap", &gap_us, 0, 999999, true, "microseconds between documents"},
		{"work", &rounds, 0, 1e9, true, "rounds of work after each look"},
	};
	options_parse(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
	batch_len = (long)batch;
	work_between = (uint64_t)rounds;
	print_time.tv_nsec = (long)(print_ms * 1e6);
	gap.tv_nsec = (long)(gap_us * 1e3);
	paper = fopen("/dev/null", "w");
	if (paper == NULL)
		options_refuse("no paper");

	struct worker sum;
	struct elapsed elapsed = run_workers(&run, serve, &sum);
	bool is_ok = sum.tally[WRONG] == 0 && queue.accepted == queue.waiting + queue.printed;
	run_print(&run, elapsed, &sum);
	printf("accepted %ld\nprinted %ld\nbatches %lld\n", queue.accepted, queue.printed,
		(long long)sum.tally[BATCHES]);
	printf("checksum %s\n", is_ok ? "ok" : "wrong");
	fclose(paper);
	return is_ok ? 0 : 1;
}

/* SPDX-License-Identifier: MIT
 *
 * The cost of the origins of writes, and of losses to another transaction's write, which is looked up by its origin,
 * against one reading of the clock, which each recorded loss costs anyway. The other transaction is that of a second
 * thread, which waits in it, ten frames deep.
 */
#include <stmlog/agent.h>

#include <pthread.h>

#include "bench.h"

#define DEPTH 10
#define WRITES 8

static struct stmlog_thread *thread;
static uint64_t other; /* the origin of the other transaction's write */
static pthread_barrier_t barrier;

static void read_clock(uint64_t times, void *arg)
{
	(void)arg;
	for (uint64_t i = 0; i < times; i++) {
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		bench_opaque(&now);
	}
}

/* ---- the operations, each done `times` times; writes are in transactions of WRITES writes ---- */

static void transactions(uint64_t times, void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < times; i++) {
		stmlog_start(thread);
		stmlog_commit(thread);
	}
}

static void transactions_that_write(uint64_t times, void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < times; i++) {
		stmlog_start(thread);
		for (int j = 0; j < WRITES; j++)
			bench_opaque((void *)(uintptr_t)stmlog_origin(thread, TB_NO_SITE));
		stmlog_commit(thread);
	}
}

/* Each on a line of its own that is entered anew, as by a lazy runtime. */
static void lines(uint64_t times, void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < times; i++) {
		stmlog_push(thread, TB_HERE());
		bench_opaque(thread);
		stmlog_pop(thread);
	}
}

static void origins(uint64_t times, void *unused)
{
	(void)unused;
	stmlog_start(thread);
	for (uint64_t i = 0; i < times; i++) {
		stmlog_push(thread, TB_HERE());
		bench_opaque((void *)(uintptr_t)stmlog_origin(thread, TB_NO_SITE));
		stmlog_pop(thread);
	}
	stmlog_commit(thread);
}

static void origins_here(uint64_t times, void *unused)
{
	(void)unused;
	stmlog_start(thread);
	for (uint64_t i = 0; i < times; i++)
		bench_opaque((void *)(uintptr_t)stmlog_origin(thread, TB_HERE()));
	stmlog_commit(thread);
}

/* Finds out who the other transaction is, and where it has written. */
static void looks(uint64_t times, void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < times; i++) {
		struct stmlog_origin_parts parts;
		stmlog_origin_read(other, &parts);
		bench_opaque(&parts);
	}
}

static struct stmlog_loss meet(enum stmlog_reason reason)
{
	struct stmlog_loss loss = stmlog_loss_of(reason, STMLOG_WRITE_WRITE, NULL);
	loss.object = 64;
	loss.other = other;
	return loss;
}

/* Half of `times` are calls that begin a pause, and half are calls that end it. */
static void pauses(uint64_t times, void *unused)
{
	(void)unused;
	stmlog_start(thread);
	for (uint64_t i = 0; i < times; i += 2) {
		const struct stmlog_loss loss = meet(STMLOG_PAUSE);
		stmlog_wait_begin(thread, &loss);
		stmlog_wait_end(thread);
	}
	stmlog_commit(thread);
}

static void contentions_that_abort(uint64_t times, void *unused)
{
	(void)unused;
	stmlog_start(thread);
	for (uint64_t i = 0; i < times; i++) {
		const struct stmlog_loss loss = meet(STMLOG_SELF_ABORT);
		stmlog_abort(thread, &loss);
		stmlog_retry(thread);
	}
	stmlog_commit(thread);
}

static void go_deep(struct stmlog_thread *who)
{
	for (int i = 0; i < DEPTH; i++)
		stmlog_push(who, TB_HERE());
}

static void *be_met(void *unused)
{
	struct stmlog_thread *self = stmlog_thread_open(NULL);
	if (self == NULL)
		exit(1);
	go_deep(self);
	stmlog_start(self);
	other = stmlog_origin(self, TB_NO_SITE);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	stmlog_commit(self);
	return unused;
}

int main(void)
{
	const struct stmlog_setup setup = {.runtime = "contention", .report = "none"};
	const struct bench_side clock = {"clock_gettime", read_clock, NULL};
	pthread_t met;
	pthread_barrier_init(&barrier, NULL, 2);
	if (stmlog_open(&setup) != 0 || (thread = stmlog_thread_open(NULL)) == NULL ||
		pthread_create(&met, NULL, be_met, NULL) != 0)
		return 1;
	pthread_barrier_wait(&barrier);
	go_deep(thread);
	bench_against("8 writes, with start + commit", (struct bench_side){"writing", transactions_that_write, NULL},
		(struct bench_side){"empty", transactions, NULL});
	bench_against("push + origin + pop", (struct bench_side){"origin", origins, NULL},
		(struct bench_side){"push + pop", lines, NULL});
	bench_against("origin of a line", (struct bench_side){"origin", origins_here, NULL},
		(struct bench_side){"push + pop", lines, NULL});
	bench_against("reading an origin", (struct bench_side){"look", looks, NULL}, clock);
	bench_against("pause begin + end, each", (struct bench_side){"event", pauses, NULL}, clock);
	bench_against("contention + abort + retry", (struct bench_side){"event", contentions_that_abort, NULL}, clock);
	pthread_barrier_wait(&barrier);
	pthread_join(met, NULL);
	return 0;
}

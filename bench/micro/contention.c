/* SPDX-License-Identifier: MIT
 *
 * The cost of recording a write in a trail, of its origin, and of looking up another transaction's write,
 * against one reading of the clock, which each recorded loss costs anyway. The other
 * transaction is that of a second thread, which waits in it, ten frames deep.
 */
#include <stmlog/runtime.h>

#include <pthread.h>

#include "bench.h"

#define DEPTH 10
#define OBJECTS 8

static struct stmlog_thread *thread;
static struct stmlog_other other;
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

/* ---- the operations, each done `times` times; writes are in transactions of OBJECTS writes ---- */

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
		for (uintptr_t object = 1; object <= OBJECTS; object++)
			stmlog_wrote(thread, object * 64);
		stmlog_commit(thread);
	}
}

/* Each on a line of its own that is entered anew, as by a lazy runtime. */
static void lines(uint64_t times, void *unused)
{
	(void)unused;
	for (uint64_t i = 0; i < times; i++) {
		tb_push(stmlog_thread_stack(thread), TB_HERE());
		bench_opaque(thread);
		tb_pop(stmlog_thread_stack(thread));
	}
}

static void origins(uint64_t times, void *unused)
{
	(void)unused;
	stmlog_start(thread);
	for (uint64_t i = 0; i < times; i++) {
		tb_push(stmlog_thread_stack(thread), TB_HERE());
		bench_opaque((void *)(uintptr_t)stmlog_origin(thread));
		tb_pop(stmlog_thread_stack(thread));
	}
	stmlog_commit(thread);
}

static void origins_here(uint64_t times, void *unused)
{
	(void)unused;
	stmlog_start(thread);
	for (uint64_t i = 0; i < times; i++)
		bench_opaque((void *)(uintptr_t)stmlog_origin_here(thread, TB_HERE()));
	stmlog_commit(thread);
}

static void contentions(uint64_t times, void *unused)
{
	(void)unused;
	stmlog_start(thread);
	for (uint64_t i = 0; i < times; i++)
		stmlog_contention(thread, STMLOG_WRITE_MEETS_WRITE, 64, other, NULL);
	stmlog_commit(thread);
}

static void contentions_that_abort(uint64_t times, void *unused)
{
	(void)unused;
	stmlog_start(thread);
	for (uint64_t i = 0; i < times; i++) {
		stmlog_contention(thread, STMLOG_WRITE_MEETS_WRITE, 64, other, NULL);
		stmlog_abort_self(thread);
		stmlog_retry(thread);
	}
	stmlog_commit(thread);
}

static void go_deep(struct stmlog_thread *who)
{
	for (int i = 0; i < DEPTH; i++)
		tb_push(stmlog_thread_stack(who), TB_HERE());
}

static void *be_met(void *unused)
{
	struct stmlog_thread *self = stmlog_thread_attach();
	if (self == NULL)
		exit(1);
	go_deep(self);
	stmlog_start(self);
	stmlog_wrote(self, 64);
	other = stmlog_other_make(self, stmlog_attempt(self));
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
	if (stmlog_open(&setup) != 0 || (thread = stmlog_thread_attach()) == NULL ||
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
	bench_against("contention", (struct bench_side){"look", contentions, NULL}, clock);
	bench_against("contention + abort + retry", (struct bench_side){"event", contentions_that_abort, NULL}, clock);
	pthread_barrier_wait(&barrier);
	pthread_join(met, NULL);
	return 0;
}

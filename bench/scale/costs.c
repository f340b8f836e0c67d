/* SPDX-License-Identifier: MIT
 *
 * What recording costs as there is more of it. Each prints the nanoseconds of one step.
 * usage: costs sites N      a loss, its commit included, when there are N sites of losses. STMLOG_OPTIONS=capacity=...
 *        costs threads N    a start or commit in each of N threads: processor time. And a second figure: the bytes of
 *                           memory that each thread has taken by attaching and recording
 *        costs events N     an event, when a timeline keeps N of them */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <stmlog/agent.h>
#include <stmlog/timeline.h>

#include "bench.h"

enum { DEPTH = 10, MIN_LOSSES = 100000, THREADS_MAX = 1024, EVENTS_OF_THREADS = 4000000 };

static double ns_of(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static struct stmlog_thread *attach(void)
{
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	if (thread == NULL)
		exit(1);
	return thread;
}

/* ---- sites ---- */

static void lose(struct stmlog_thread *thread, uint64_t site)
{
	struct tb_stack *stack = stmlog_thread_stack(thread);
	struct stmlog_loss loss = stmlog_loss_make(STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "LOCKED_READ");
	tb_push(stack, tb_site_make(2, site + 1));
	loss.local = tb_current(stack);
	stmlog_start(thread);
	stmlog_abort(thread, &loss);
	stmlog_retry(thread);
	stmlog_commit(thread);
	tb_pop(stack);
}

/* Sites take turns in an order without a pattern that a processor could guess. */
static double time_losses(struct stmlog_thread *thread, uint64_t sites)
{
	uint64_t losses = sites > MIN_LOSSES ? sites : MIN_LOSSES;
	double began_ns = ns_of(CLOCK_THREAD_CPUTIME_ID);
	for (uint64_t i = 0; i < losses; i++)
		lose(thread, i * 7919 % sites);
	return (ns_of(CLOCK_THREAD_CPUTIME_ID) - began_ns) / (double)losses;
}

static void run_sites(uint64_t sites)
{
	enum { ROUNDS = 7 };
	struct stmlog_thread *thread = attach();
	double rounds[ROUNDS];
	for (int i = 1; i < DEPTH; i++)
		tb_push(stmlog_thread_stack(thread), TB_HERE());
	time_losses(thread, sites);
	for (int i = 0; i < ROUNDS; i++)
		rounds[i] = time_losses(thread, sites);
	printf("%.2f\n", bench_median(rounds, ROUNDS));
}

/* ---- threads ---- */

static struct {
	uint64_t steps;
	pthread_barrier_t barrier;
	double spent_ns[THREADS_MAX];
} crew;

static void *record(void *arg)
{
	double *spent_ns = arg;
	pthread_barrier_wait(&crew.barrier); /* all have begun, main() looks at the memory */
	pthread_barrier_wait(&crew.barrier);
	struct stmlog_thread *thread = attach();
	double began_ns = ns_of(CLOCK_THREAD_CPUTIME_ID);
	for (uint64_t i = 0; i < crew.steps; i++) {
		stmlog_start(thread);
		stmlog_commit(thread);
	}
	*spent_ns = ns_of(CLOCK_THREAD_CPUTIME_ID) - began_ns;
	lose(thread, 1);
	pthread_barrier_wait(&crew.barrier);
	pthread_barrier_wait(&crew.barrier);
	return NULL;
}

/* The bytes of this process that are in memory. */
static double resident(void)
{
	unsigned long all = 0, in_memory = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	if (file == NULL || fscanf(file, "%lu %lu", &all, &in_memory) != 2)
		exit(1);
	fclose(file);
	return (double)in_memory * (double)sysconf(_SC_PAGESIZE);
}

static void run_threads(uint64_t len)
{
	pthread_t threads[THREADS_MAX];
	double spent_ns = 0, before, after;
	if (len > THREADS_MAX)
		exit(2);
	crew.steps = EVENTS_OF_THREADS / 2 / len;
	pthread_barrier_init(&crew.barrier, NULL, (unsigned)len + 1);
	for (uint64_t i = 0; i < len; i++)
		if (pthread_create(&threads[i], NULL, record, &crew.spent_ns[i]) != 0)
			exit(1);
	pthread_barrier_wait(&crew.barrier);
	before = resident();
	pthread_barrier_wait(&crew.barrier);
	pthread_barrier_wait(&crew.barrier);
	after = resident();
	pthread_barrier_wait(&crew.barrier);
	for (uint64_t i = 0; i < len; i++) {
		pthread_join(threads[i], NULL);
		spent_ns += crew.spent_ns[i];
	}
	printf("%.2f %.0f\n", spent_ns / (double)(2 * crew.steps * len), (after - before) / (double)len);
}

/* ---- events ---- */

static void run_events(uint64_t events)
{
	struct stmlog_thread *thread = attach();
	if (stmlog_timeline_prepare(events + 2, STMLOG_TIMELINE_GROW) != 0 || stmlog_timeline_start() != 0)
		exit(1);
	double began_ns = ns_of(CLOCK_THREAD_CPUTIME_ID);
	for (uint64_t i = 0; i < events; i += 2) {
		stmlog_start(thread);
		stmlog_commit(thread);
	}
	printf("%.2f\n", (ns_of(CLOCK_THREAD_CPUTIME_ID) - began_ns) / (double)events);
	stmlog_timeline_stop();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(uint64_t len);
	} all[] = {{"sites", run_sites}, {"threads", run_threads}, {"events", run_events}};
	const struct stmlog_setup setup = {.runtime = "bench", .report = "none"};
	uint64_t len = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
	for (size_t i = 0; i < sizeof all / sizeof all[0] && len > 0; i++) {
		if (strcmp(argv[1], all[i].name) != 0)
			continue;
		if (stmlog_open(&setup) != 0)
			return 1;
		all[i].run(len);
		return 0;
	}
	fputs("usage: costs sites|threads|events N\n", stderr);
	return 2;
}

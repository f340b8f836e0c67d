/* SPDX-License-Identifier: MIT
 *
 * The main thread runs no operation, for it would be one more thread to the STM: it starts the workers, sleeps, and
 * stops them. All workers start together, so that short runs contend as long ones do.
 */
#include "run.h"

#include "meeting.h"
#include "stamps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Relaxed: it orders nothing; what the workers did is read after pthread_join(). */
static atomic_bool stop;
static pthread_barrier_t start_line;
static operation *operate_once;
static uint64_t operations_each;
static unsigned threads;
static uint64_t meetings_each;

static double read_clock(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The times since `start`. With a `start` of zero: what both clocks show. */
static struct elapsed elapsed_since(struct elapsed start)
{
	return (struct elapsed){
		read_clock(CLOCK_MONOTONIC) - start.seconds, read_clock(CLOCK_PROCESS_CPUTIME_ID) - start.cpu_seconds};
}

static bool is_stopped(void)
{
	return atomic_load_explicit(&stop, memory_order_relaxed);
}

/* Twice as many operations as meetings: a meeting that fails is made up for in a later operation. */
bool is_meeting(const struct worker *worker)
{
	return worker->operations < 2 * meetings_each;
}

static void *worker_main(void *arg)
{
	struct worker *worker = arg;
	uint64_t limit = operations_each != 0 ? operations_each : UINT64_MAX;
	meeting_join(worker->number, threads, (unsigned)meetings_each);
	stamp_begin();
	pthread_barrier_wait(&start_line);
	while (worker->operations < limit && (!is_stopped() || is_meeting(worker))) {
		operate_once(worker);
		worker->operations++;
	}
	stamp_end();
	return NULL;
}

static void sleep_seconds(double seconds)
{
	struct timespec left = {.tv_sec = (time_t)seconds};
	left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
	while (nanosleep(&left, &left) != 0)
		;
}

static _Noreturn void fail(const char *what, int error)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(error));
	exit(1);
}

static void start_workers(struct worker *workers, unsigned len, uint64_t seed)
{
	pthread_barrier_init(&start_line, NULL, len + 1);
	for (unsigned i = 0; i < len; i++) {
		workers[i].number = i;
		/* Odd multiples of the golden ratio: distinct and never 0. */
		workers[i].random = (2 * (seed * 1024 + i) + 1) * UINT64_C(0x9e3779b97f4a7c15);
		int error = pthread_create(&workers[i].thread, NULL, worker_main, &workers[i]);
		if (error != 0)
			fail("pthread_create", error);
	}
}

struct elapsed run_workers(const struct run *run, operation *operate, struct worker *sum)
{
	unsigned len = (unsigned)run->threads;
	size_t size = len * sizeof(struct worker);
	struct worker *workers = aligned_alloc(_Alignof(struct worker), size);
	if (workers == NULL)
		fail("workers", ENOMEM);
	memset(workers, 0, size);
	operate_once = operate;
	operations_each = (uint64_t)run->operations;
	threads = len;
	meetings_each = (uint64_t)run->meet;
	start_workers(workers, len, (uint64_t)run->seed);
	struct elapsed start = elapsed_since((struct elapsed){0});
	pthread_barrier_wait(&start_line);
	if (operations_each == 0) {
		sleep_seconds(run->seconds);
		atomic_store_explicit(&stop, true, memory_order_relaxed);
	}
	memset(sum, 0, sizeof(*sum));
	for (unsigned i = 0; i < len; i++) {
		pthread_join(workers[i].thread, NULL);
		sum->operations += workers[i].operations;
		for (int j = 0; j < TALLIES; j++)
			sum->tally[j] += workers[i].tally[j];
	}
	struct elapsed elapsed = elapsed_since(start);
	free(workers);
	return elapsed;
}

void run_print(const struct run *run, struct elapsed elapsed, const struct worker *sum)
{
	printf("threads %.0f\n", run->threads);
	printf("operations %" PRIu64 "\n", sum->operations);
	printf("seconds %.6f\n", elapsed.seconds);
	printf("cpu_seconds %.6f\n", elapsed.cpu_seconds);
	printf("per_second %.0f\n", elapsed.seconds > 0 ? (double)sum->operations / elapsed.seconds : 0.0);
	stamps_print();
}

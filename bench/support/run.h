/* SPDX-License-Identifier: MIT
 *
 * Workers that repeat an operation, for a time or for a number of times, and the
 * figures that every bench program prints.
 */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "options.h"
#include "tm.h"

/* The options of every program. `operations` is per worker; if it is 0, the workers run for `seconds`. */
struct run {
	double threads;
	double seconds;
	double operations;
	double seed;
	double meet; /* meetings of each two workers, in their first operations (meeting.h) */
};

#define RUN_DEFAULTS                                                   \
	{                                                              \
		.threads = 2, .seconds = 2, .operations = 0, .seed = 1 \
	}

#define RUN_OPTIONS(run)                                                                                       \
	{"threads", &(run)->threads, 1, 1024, true, "worker threads"},                                         \
		{"seconds", &(run)->seconds, 0, 86400, false, "how long"},                                     \
		{"operations", &(run)->operations, 0, 1e12, true, "operations per worker instead of seconds"}, \
	{                                                                                                      \
		"seed", &(run)->seed, 0, 1e15, true, "of the random numbers"                                   \
	}

/* One option more, for programs that have meetings. */
#define MEET_OPTION(run)                                                                                        \
	{                                                                                                       \
		"meet", &(run)->meet, 0, 1e6, true, "conflicts that are certain, before the rest, for each two" \
	}

enum { TALLIES = 3 };

/* One per thread, on cache lines of its own. `operations` and `tally` are written
 * by the worker and read after it has been joined. */
struct worker {
	_Alignas(128) uint64_t random; /* state of worker_random(), never 0 */
	uint64_t operations;
	int64_t tally[TALLIES]; /* counts that the program defines */
	unsigned number;
	pthread_t thread;
};

typedef void operation(struct worker *worker);

/* Whether the worker's present operation may be a meeting. The worker goes on as long as this is true, even if the
 * seconds of the run are over. */
bool is_meeting(const struct worker *worker);

/* How long the workers ran: by the clock on the wall, and the processor time of all
 * of them together, which other processes on the machine do not change much. */
struct elapsed {
	double seconds;
	double cpu_seconds;
};

/* Runs the workers and joins them; *sum becomes the sums of their operations and tallies. Exits with status 1 if a
 * thread cannot be started. To be called once in the process. */
struct elapsed run_workers(const struct run *run, operation *operate, struct worker *sum);

void run_print(const struct run *run, struct elapsed elapsed, const struct worker *sum);

/* Uniform in [0, below), xorshift64*. */
static inline uint64_t worker_random(struct worker *worker, uint64_t below)
{
	uint64_t x = worker->random;
	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	worker->random = x;
	return (uint64_t)(((unsigned __int128)(x * UINT64_C(2685821657736338717)) * below) >> 64);
}

#endif

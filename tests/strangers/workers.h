/* SPDX-License-Identifier: MIT
 *
 * Processes that a program forks, each with a crew of its own. After half of the time all are replaced, as servers do
 * lest a worker grows old. A worker's memory is its own, but for its sums.
 */
#ifndef STRANGERS_WORKERS_H
#define STRANGERS_WORKERS_H

#include "crew.h"

#include <sys/mman.h>
#include <sys/wait.h>

enum { WORKERS_MAX = 8, GENERATIONS = 2 };

/* How many workers with two threads find processors at a time. If each has more threads, there is one. */
static inline int workers_pairs(void)
{
	long pairs = CREW_THREADS(2) == 2 ? sysconf(_SC_NPROCESSORS_ONLN) / 2 : 1;
	if (pairs > WORKERS_MAX)
		return WORKERS_MAX;
	return pairs < 1 ? 1 : (int)pairs;
}

/* Adds up the sums of the workers. Returns whether all have ended well. */
static bool workers_generation(double seconds, int workers, int threads, void (*work)(struct member *))
{
	size_t size = WORKERS_MAX * sizeof(struct stamps);
	void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return false;
	struct stamps *sums = (struct stamps *)shared;
	pid_t ids[WORKERS_MAX];
	bool are_well = true;
	for (int i = 0; i < workers; i++) {
		ids[i] = fork();
		if (ids[i] == 0) {
			memset(&crew_sums, 0, sizeof(crew_sums));
			bool is_well = crew_work(seconds, threads, work);
			sums[i] = crew_sums;
			exit(!is_well);
		}
	}
	for (int i = 0; i < workers; i++) {
		int status;
		are_well &= waitpid(ids[i], &status, 0) == ids[i] && status == 0;
	}
	for (int i = 0; i < workers; i++)
		crew_add(&sums[i]);
	munmap(shared, size);
	return are_well;
}

/* As crew_run(), with `workers` at a time and `threads` in each. */
static int workers_run(int argc, char **argv, int workers, int threads, void (*work)(struct member *))
{
	double seconds = argc > 1 ? atof(argv[1]) : 1, clock = crew_clock();
	uint64_t ticks = __rdtsc();
	bool are_well = true;
	for (int i = 0; i < GENERATIONS && are_well; i++)
		are_well = workers_generation(seconds / GENERATIONS, workers, threads, work);
	crew_print((crew_clock() - clock) / (double)(__rdtsc() - ticks));
	return !are_well;
}

#endif

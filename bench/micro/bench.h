/* SPDX-License-Identifier: MIT
 *
 * Compares two pieces of code on a machine whose speed varies. They take turns in slices of about a millisecond. Each
 * turn yields one ratio, and the result is the median of the ratios. The figures in nanoseconds are the medians of each
 * side alone, so they depend on the machine's speed more than the ratio does. "quiet" is of the fastest tenth of each
 * side's slices: what one costs above the other while nothing else runs on the processor, or beside it. On a machine
 * whose processors are shared these figures are the steady ones.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BENCH_ROUNDS 101
#define BENCH_SLICE_NS 1000000.0

/* Does the work `times` times. */
typedef void bench_function(uint64_t times, void *arg);

struct bench_side {
	const char *name;
	bench_function *run;
	void *arg;
};

/* Hides a value from the compiler, so that it can neither compute the result in advance nor leave the work out. */
static inline void *bench_opaque(void *value)
{
	__asm__ volatile("" : "+r"(value) : : "memory");
	return value;
}

/* Stands for code of which the compiler knows nothing: all that is in memory may be read and changed here. */
static inline void bench_barrier(void)
{
	__asm__ volatile("" : : : "memory");
}

static inline double bench_time_ns(const struct bench_side *side, uint64_t times)
{
	struct timespec start, end;
	clock_gettime(CLOCK_MONOTONIC, &start);
	side->run(times, side->arg);
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
}

/* How often to run a side so that it fills a slice; warms it up as well. */
static inline uint64_t bench_times(const struct bench_side *side)
{
	uint64_t times = 16;
	while (bench_time_ns(side, times) < BENCH_SLICE_NS)
		times *= 2;
	return times;
}

static inline int bench_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Sorts the figures. */
static inline double bench_median(double *figures, size_t len)
{
	qsort(figures, len, sizeof *figures, bench_compare);
	return figures[len / 2];
}

/* Prints one line, and returns the median of the ratios a / b. Afterwards the figures are in order. */
static inline double bench_against(const char *what, struct bench_side a, struct bench_side b)
{
	double a_ns[BENCH_ROUNDS], b_ns[BENCH_ROUNDS], ratio[BENCH_ROUNDS];
	uint64_t a_times = bench_times(&a), b_times = bench_times(&b);
	for (int i = 0; i < BENCH_ROUNDS; i++) {
		a_ns[i] = bench_time_ns(&a, a_times) / (double)a_times;
		b_ns[i] = bench_time_ns(&b, b_times) / (double)b_times;
		ratio[i] = a_ns[i] / b_ns[i];
	}
	double result = bench_median(ratio, BENCH_ROUNDS);
	printf("%-28s  %s %.2f ns  %s %.2f ns  ratio %.2f", what, a.name, bench_median(a_ns, BENCH_ROUNDS), b.name,
		bench_median(b_ns, BENCH_ROUNDS), result);
	double a_quiet_ns = a_ns[BENCH_ROUNDS / 10], b_quiet_ns = b_ns[BENCH_ROUNDS / 10];
	printf("  quiet %.2f (%+.2f ns)\n", a_quiet_ns / b_quiet_ns, a_quiet_ns - b_quiet_ns);
	return result;
}

#endif

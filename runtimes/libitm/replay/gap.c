/* SPDX-License-Identifier: MIT
 * Measures the machine's speed, and spends gaps. Speeds are the best of many short measurements: an interruption only
 * makes a measurement longer. */
#include "gap.h"

#include <time.h>
#include <x86intrin.h>

enum {
	SPIN_MAX_NS = 2000,       /* longer gaps end by the clock */
	SLEEP_MIN_NS = 100000,    /* the program's thread was probably asleep then */
	WAKES_EARLY_NS = 60000,   /* the kernel may take that long to wake a thread */
	SLEEP_MAX_NS = 10000000,  /* at once, so that the end is noticed */
	LOOKS = 20,               /* readings of both clocks, of which the closest pair counts */
	LOOKS_APART_NS = 3000000, /* time between the two comparisons of the clocks */
	SPINS = 1000,
	SPIN_ITERATIONS = 500,
	WAIT_ITERATIONS = 16, /* between two readings of the clock */
};

/* More than any replay takes. */
#define NS_MAX 1e12

/* ---- measuring ---- */

/* The same moment by both clocks. */
struct moment {
	uint64_t ticks;
	uint64_t ns;
};

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct moment find_moment(void)
{
	struct moment closest = {0};
	uint64_t min = UINT64_MAX;
	for (int i = 0; i < LOOKS; i++) {
		uint64_t before = __rdtsc(), ns = now_ns(), took = __rdtsc() - before;
		if (took < min)
			closest = (struct moment){before + took / 2, ns};
		min = took < min ? took : min;
	}
	return closest;
}

static double measure_ticks(void)
{
	struct moment first = find_moment();
	while (now_ns() - first.ns < LOOKS_APART_NS)
		continue;
	struct moment last = find_moment();
	return (double)(last.ticks - first.ticks) / (double)(last.ns - first.ns);
}

/* Without the fences the counter would be read while multiplications are still under way. */
static uint64_t time_spin(uint32_t iterations)
{
	unsigned processor;
	_mm_lfence();
	uint64_t before = __rdtsc();
	_mm_lfence();
	(void)gap_spin(iterations, before);
	return __rdtscp(&processor) - before;
}

static uint64_t time_best_spin(uint32_t iterations)
{
	uint64_t best = UINT64_MAX;
	for (int i = 0; i < SPINS; i++) {
		uint64_t ticks = time_spin(iterations);
		best = ticks < best ? ticks : best;
	}
	return best;
}

/* The difference between two lengths, since the time that reading the counter takes is in both. */
static double measure_ticks_of_iteration(void)
{
	uint64_t once = time_best_spin(SPIN_ITERATIONS), twice = time_best_spin(2 * SPIN_ITERATIONS);
	return twice > once ? (double)(twice - once) / SPIN_ITERATIONS : 1;
}

struct gap_scale gap_measure(void)
{
	double ticks_per_ns = measure_ticks();
	return (struct gap_scale){ticks_per_ns, ticks_per_ns / measure_ticks_of_iteration()};
}

/* ---- converting ---- */

struct gap gap_of(const struct gap_scale *scale, double ns, double *rest)
{
	if (ns <= 0)
		return (struct gap){0};
	if (ns > SPIN_MAX_NS)
		return (struct gap){.ticks = (uint64_t)((ns < NS_MAX ? ns : NS_MAX) * scale->ticks_per_ns)};
	double wanted = ns * scale->iterations_per_ns + *rest;
	uint32_t iterations = (uint32_t)wanted;
	*rest = wanted - iterations;
	return (struct gap){.iterations = iterations};
}

/* ---- waiting ---- */

/* No pause instruction: it would abort a transaction in hardware. */
static void wait_until(uint64_t end, const atomic_bool *is_over)
{
	while ((int64_t)(end - __rdtsc()) > 0 && !atomic_load_explicit(is_over, memory_order_relaxed))
		(void)gap_spin(WAIT_ITERATIONS, end);
}

void gap_wait(uint64_t ticks, const atomic_bool *is_over)
{
	wait_until(__rdtsc() + ticks, is_over);
}

void gap_sleep(const struct gap_scale *scale, uint64_t ticks, const atomic_bool *is_over)
{
	uint64_t end = __rdtsc() + ticks;
	double left_ns = (double)ticks / scale->ticks_per_ns;
	while (left_ns > SLEEP_MIN_NS && !atomic_load_explicit(is_over, memory_order_relaxed)) {
		double sleep_ns = left_ns - WAKES_EARLY_NS;
		struct timespec time = {.tv_nsec = sleep_ns < SLEEP_MAX_NS ? (long)sleep_ns : SLEEP_MAX_NS};
		nanosleep(&time, NULL);
		left_ns = (double)(int64_t)(end - __rdtsc()) / scale->ticks_per_ns;
	}
	wait_until(end, is_over);
}

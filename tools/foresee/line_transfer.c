/* SPDX-License-Identifier: MIT
 * Two threads hand a number to and fro. */
#include "line_transfer.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

enum { APART = 128, TRIPS = 200, MEASUREMENTS = 4 };

/* Where other processes have the processors, two threads seldom run at once: the measurement would take seconds. */
#define PATIENCE_NS 5e6
static double until_ns; /* constant while the threads run */

/* Odd: it is the second thread's turn. Release where it is stored; partner: the acquire in wait_for(). */
static _Alignas(APART) atomic_uint turn;

static double now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Returns false if the time is over. The clock is read only where the other thread is off its processor. */
static bool wait_for(unsigned number)
{
	enum { POLLS = 10000 };
	for (unsigned polls = 1; atomic_load_explicit(&turn, memory_order_acquire) != number; polls++)
		if (polls % POLLS == 0 && now_ns() > until_ns)
			return false;
	return true;
}

static void *go(void *line_ns)
{
	double *shortest = line_ns;
	for (unsigned i = 0; i < MEASUREMENTS; i++) {
		double began = now_ns();
		for (unsigned trip = i * TRIPS; trip < (i + 1) * TRIPS; trip++) {
			atomic_store_explicit(&turn, 2 * trip + 1, memory_order_release);
			if (!wait_for(2 * trip + 2))
				return NULL;
		}
		double took = (now_ns() - began) / TRIPS;
		*shortest = i == 0 || took < *shortest ? took : *shortest;
	}
	return NULL;
}

static void *come_back(void *unused)
{
	(void)unused;
	for (unsigned trip = 0; trip < MEASUREMENTS * TRIPS; trip++) {
		if (!wait_for(2 * trip + 1))
			return NULL;
		atomic_store_explicit(&turn, 2 * trip + 2, memory_order_release);
	}
	return NULL;
}

/* Returns false if there is no such thread. */
static bool start_on(size_t processor, pthread_t *thread, void *(*run)(void *), void *arg)
{
	pthread_attr_t attributes;
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(processor, &set);
	pthread_attr_init(&attributes);
	bool is_started = pthread_attr_setaffinity_np(&attributes, sizeof set, &set) == 0 &&
			  pthread_create(thread, &attributes, run, arg) == 0;
	pthread_attr_destroy(&attributes);
	return is_started;
}

/* The first processors of this process. Returns how many there are, 2 at most. */
static size_t first_two(size_t *processors)
{
	cpu_set_t set;
	size_t found = 0;
	if (sched_getaffinity(0, sizeof set, &set) != 0)
		return 0;
	for (size_t i = 0; i < CPU_SETSIZE && found < 2; i++)
		if (CPU_ISSET(i, &set))
			processors[found++] = i;
	return found;
}

double line_transfer_ns(void)
{
	size_t processors[2];
	double line_ns = 0;
	pthread_t first, second;
	atomic_store_explicit(&turn, 0, memory_order_relaxed);
	until_ns = now_ns() + PATIENCE_NS;
	if (first_two(processors) < 2 || !start_on(processors[1], &second, come_back, NULL))
		return 0;
	if (start_on(processors[0], &first, go, &line_ns))
		pthread_join(first, NULL);
	else
		go(&line_ns);
	pthread_join(second, NULL);
	return line_ns;
}

bool line_transfers_are_alike(double line_ns, double other_ns)
{
	const double factor = 2;
	return !(line_ns > 0) || !(other_ns > 0) || (line_ns < other_ns * factor && other_ns < line_ns * factor);
}

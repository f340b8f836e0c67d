/* SPDX-License-Identifier: MIT
 *
 * How often a stress test tries. Under valgrind each step takes some fifty times as long and one thread runs at a
 * time: what counts there is that each pair of accesses is met at all. DRD besides remembers all that it was told
 * of atomic operations, and takes more than twice as long for twice as much, and four times as long for twice as many
 * threads. */
#ifndef TESTS_STRESS_H
#define TESTS_STRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <valgrind/drd.h>

/* The thread sanitizer takes some ten times as long; an emulator too, and longer to start a thread. */
#if defined __SANITIZE_THREAD__
#define STRESS_FACTOR 10u
#elif defined TESTS_EMULATED
#define STRESS_FACTOR 40u
#else
#define STRESS_FACTOR 1u
#endif

static inline bool is_below_drd(void)
{
	return DRD_GET_DRD_THREADID != 0;
}

/* At least once. */
static inline uint32_t stress_times(uint32_t times)
{
	if (is_below_drd())
		return times / 1000 + 1;
	return RUNNING_ON_VALGRIND ? times / 50 + 1 : (times + STRESS_FACTOR - 1) / STRESS_FACTOR;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * Which transactions of a thread are measured, and what each of them stands for.
 */
#ifndef ITM_SAMPLE_H
#define ITM_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "pace.h"
#include "phases.h"

/* The value of the option for which each thread finds out by itself. */
#define ITM_SAMPLE_AUTO 0

/* One thread's. Invariant: the measured transactions stand, by their weights, for as many as there were up to the
 * last of them, less what is owed; on average, and as far as owed is not cut. */
struct itm_sampling {
	uint32_t every;  /* one transaction in so many is measured */
	uint32_t weight; /* of the one that will be measured next */
	uint64_t passed; /* transactions up to now, measured or not */

	/* Nothing stands for the transactions of an off phase; so those that are measured later weigh half as much
	 * again, until they have made up for them. */
	uint64_t owed;
	bool is_off;
	uint64_t off_passed; /* what `passed` was when it began */
	int32_t rest;        /* transactions until the clock is read again */
	uint64_t checked_ns;

	struct itm_phase_mark mark; /* since when a phase has been what it is, and measuring as frequent */
	struct itm_pace pace;
};

#endif

/* SPDX-License-Identifier: MIT
 * The sums of regions.h: from each region's own time and work to the times with their children, speeds and tags. */
#ifndef REGION_SUMS_H
#define REGION_SUMS_H

#include "regions.h"

/* Does not overflow: a file may claim any amounts of work. */
static inline uint64_t region_sum(uint64_t a, uint64_t b)
{
	return a <= UINT64_MAX - b ? a + b : UINT64_MAX;
}

/* Fills in all sums, and makes the tags. `begun` has the ordinals of all regions, each behind its parent. */
void region_sums_fill(struct regions *regions, const size_t *begun);

#endif

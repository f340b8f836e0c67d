/* SPDX-License-Identifier: MIT */
#ifndef REGION_SUMS_H
#define REGION_SUMS_H

#include "regions.h"

/* At most what can be counted: a file chooses its amounts of work. */
static inline uint64_t region_sum(uint64_t a, uint64_t b)
{
	return a <= UINT64_MAX - b ? a + b : UINT64_MAX;
}

/* From each region's own time and work, all that is a sum of them, and the tags. `begun`: the ordinals of all regions,
 * none before its parent. */
void region_sums_fill(struct regions *regions, const size_t *begun);

#endif

/* SPDX-License-Identifier: MIT
 * How much the regions of a tag differ among each other, in time and in speed. */
#ifndef REGION_SPREAD_H
#define REGION_SPREAD_H

#include <stddef.h>

#include "regions.h"
#include "statistics.h"

/* Of the regions that have ended: the time of an open one is not known. */
struct region_spread {
	size_t ended;
	size_t worked;                    /* how many of these have done work: only they have a speed */
	struct statistics_spread time_ns; /* if ended > 0; with the regions in them */
	struct statistics_spread speed;   /* if worked > 0; work per second; infinite for work in no time */
};

/* Returns the spread of each tag, in the order of regions->tags. The caller frees the array. */
struct region_spread *region_spreads(const struct regions *regions);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef REGION_SUMS_H
#define REGION_SUMS_H

#include "regions.h"

/* From each region's own time and work, all that is a sum of them, and the tags. `begun`: the ordinals of all regions,
 * none before its parent. */
void region_sums_make(struct regions *regions, const size_t *begun);

#endif

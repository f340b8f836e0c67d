/* SPDX-License-Identifier: MIT
 * Sums of losses by victim and culprit, over the entries only: evicted losses have no places any more. Losses without
 * another transaction are left out. Losses to an unknown transaction are included, so that the sums are those of the
 * entries. */
#ifndef BLAME_H
#define BLAME_H

#include "place.h"
#include "tally.h"

/* One row for each pair of places: key[0] is the victim's, key[1] the culprit's. The caller calls tally_drop(). */
struct tally blame_pairs(const struct recording *recording, struct places *places, enum tally_sort sort);

/* An upper bound of the time that the run would save without these losses: the lost time, or if it is an estimate the
 * upper end of its interval, but at most the time that the run took. */
uint64_t blame_bound_ns(const struct recording *recording, const struct tally_sum *sum);

/* One row for each traceback of a culprit: key[0] is the traceback, `parts` the number of places that lost to it. The
 * caller calls tally_drop(). */
struct tally blame_aggressors(const struct recording *recording, struct places *places, enum tally_sort sort);

#endif

/* SPDX-License-Identifier: MIT
 * Who lost to whom. Of the entries alone: what was evicted has no places any more. Losses that no other
 * transaction had part in are left out; those to an unknown one are in, so that the sums are those of the entries. */
#ifndef BLAME_H
#define BLAME_H

#include "place.h"
#include "tally.h"

/* One row for each pair of places: key[0] where it was lost, key[1] where the other one was. The caller drops it. */
struct tally blame_pairs(const struct recording *recording, struct places *places, enum tally_sort sort);

/* How much shorter the run could have been without these losses: not by more than all the time that they took, nor than
 * it was. Of an estimate the upper end of its interval. */
uint64_t blame_bound_ns(const struct recording *recording, const struct tally_sum *sum);

/* One row for each traceback of those it was lost to: key[0] is the traceback, `parts` how many different places
 * lost to it. The caller drops it. */
struct tally blame_aggressors(const struct recording *recording, struct places *places, enum tally_sort sort);

#endif

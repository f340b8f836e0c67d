/* SPDX-License-Identifier: MIT
 * What the other transactions have cost, by the traceback where they caused the conflict: the sums over a timelog's
 * groups (stmlog_timelog_aggressors()). */
#ifndef STMLOG_AGGRESSORS_H
#define STMLOG_AGGRESSORS_H

#include "timelog.h"

/* Fills in the `max` costliest rows. Returns how many there are. Returns 0 with errno ENOMEM when there is no memory:
 * it takes some, in proportion to the timelog's groups, and gives it back. */
size_t aggressors_find(struct stmlog_timelog *log, struct stmlog_aggressor *rows, size_t max);

#endif

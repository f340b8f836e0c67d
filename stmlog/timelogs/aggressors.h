/* SPDX-License-Identifier: MIT
 * Sums up the losses of a timelog by remote traceback, where the other transaction caused the conflict
 * (stmlog_timelog_aggressors()). */
#ifndef STMLOG_AGGRESSORS_H
#define STMLOG_AGGRESSORS_H

#include "timelog.h"

/* Fills in the `max` costliest rows. Returns how many there are. Returns 0 with errno ENOMEM when there is no memory:
 * it allocates some for the time of the call, in proportion to the timelog's groups. */
size_t aggressors_find(struct stmlog_timelog *log, struct stmlog_aggressor *rows, size_t max);

#endif

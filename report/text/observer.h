/* SPDX-License-Identifier: MIT
 * The observer effect of a run: its rate of aborts in phases in which transactions were measured, relative to the rate
 * in phases without measuring. The interval comes from how much the phases of one kind differ. */
#ifndef OBSERVER_H
#define OBSERVER_H

#include <stdbool.h>

#include "records.h"

/* The effect is not known with fewer phases of either kind (a phase is one thread's), with fewer aborts, or if the ends
 * of the interval are further away from the effect than by this factor. */
enum { OBSERVER_MIN_PHASES = 10, OBSERVER_MIN_ABORTS = 100, OBSERVER_WIDEST = 2 };

struct observer {
	bool is_known;
	bool is_in_bursts;      /* the effect is not known because aborts come in bursts */
	double effect;          /* ratio of aborts per time, with measuring to without */
	double low, high;       /* in 95 of 100 such runs the effect lies between these */
	double per_transaction; /* ratio of aborts per transaction */
};

struct observer observer_of(const struct recording_info *info);

#endif

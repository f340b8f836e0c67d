/* SPDX-License-Identifier: MIT
 * The observer effect of a run: its rate of aborts in phases in which transactions were measured, relative to the rate
 * in phases in which none was. How much the phases of one kind differ tells how well that is known. */
#ifndef OBSERVER_H
#define OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "records.h"

/* With fewer phases of either kind (each of one thread), or fewer aborts, the effect is not known; nor if the interval
 * reaches further than this many times the effect, either way. */
enum { OBSERVER_MIN_PHASES = 10, OBSERVER_MIN_ABORTS = 100, OBSERVER_WIDEST = 2 };

struct observer {
	bool is_known;
	bool is_in_bursts;      /* it is not known, because aborts come in bursts */
	double effect;          /* ratio of aborts per time of threads, with measuring to without */
	double low, high;       /* in 95 of 100 such runs the effect lies between these */
	double per_transaction; /* ratio of aborts per transaction */
};

struct observer observer_of(const struct recording_info *info);

#endif

/* SPDX-License-Identifier: MIT
 * The observer effect of a run: its rate of aborts in phases in which transactions were measured, relative to the rate
 * in phases in which none was. */
#ifndef OBSERVER_H
#define OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "records.h"

/* With fewer phases of either kind (each of one thread), or fewer aborts, the effect is not known. */
enum { OBSERVER_LEAST_PHASES = 10, OBSERVER_LEAST_ABORTS = 100 };

struct observer {
	bool is_known;
	double effect;          /* ratio of aborts per time of threads, with measuring to without */
	double per_transaction; /* ratio of aborts per transaction, likewise */
};

struct observer observer_of(const struct recording_info *info);

#endif

/* SPDX-License-Identifier: MIT
 * The observer effect of a run: how much more often attempts aborted while transactions were measured than while none
 * was, in the phases of one and the same run. */
#ifndef OBSERVER_H
#define OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "records.h"

/* Fewer phases of either kind, each of one thread, or fewer aborts say nothing. */
enum { OBSERVER_LEAST_PHASES = 10, OBSERVER_LEAST_ABORTS = 100 };

struct observer {
	bool is_known;
	double effect;          /* aborts per time of threads, with measuring to without */
	double per_transaction; /* the same per transaction */
};

struct observer observer_of(const struct recording_info *info);

#endif

/* SPDX-License-Identifier: MIT
 * How much more often transactions abort than those that are measured do. What is done for an abort of a measured one
 * takes longer than many locks are held: it comes back when the other is gone, where another would have tried again
 * and again. So its lost time, without what we have done, is the least; and as much for each abort of all is the most,
 * since an attempt that is measured takes no less than one that is not. */
#ifndef RETRIES_H
#define RETRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "records.h"

/* Fewer measured aborts say nothing. */
enum { RETRIES_LEAST_ABORTS = 100 };

struct retries {
	bool is_known;            /* and the measured ones abort less often */
	double measured, all;     /* aborts per commit */
	uint64_t aborted_most_ns; /* at least what is estimated */
};

struct retries retries_of(const struct recording *recording);

#endif

/* SPDX-License-Identifier: MIT
 * How much more often transactions abort than measured ones do. Recording an abort takes longer than many locks are
 * held: a measured transaction retries when the lock is free, where another one would have aborted again and again. So
 * the time that measured transactions lost is a lower bound for all. An upper bound is as much time for each abort of
 * any transaction, because a measured attempt takes no less time than another one. */
#ifndef RETRIES_H
#define RETRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "records.h"

/* With fewer measured aborts it is not known. */
enum { RETRIES_LEAST_ABORTS = 100 };

struct retries {
	bool is_known;            /* and measured transactions abort less often */
	double measured, all;     /* aborts per commit */
	uint64_t aborted_most_ns; /* the upper bound */
};

struct retries retries_of(const struct recording *recording);

#endif

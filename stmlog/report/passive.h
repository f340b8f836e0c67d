/* SPDX-License-Identifier: MIT
 * Two runs of one program: with the agent, and passive, when nothing of the STM was hooked. What the agent itself
 * changes shows nowhere but between the two. */
#ifndef PASSIVE_H
#define PASSIVE_H

#include "records.h"

static inline bool passive_is(const struct recording *recording)
{
	return recording->info.passive != 0;
}

/* Why the two cannot be put side by side: a sentence without an end, borrowed. NULL: they can. */
const char *passive_mismatch(const struct recording *a, const struct recording *b);

/* Aborts that libitm counts as well: all but those that the program asked for. */
uint64_t passive_restarts(const struct recording *recording);

/* How many times as many there were with the agent; negative: not known. */
double passive_ratio(const struct recording *passive, const struct recording *with_agent);

/* "the counters of this libitm (build-id 52e5fc...) are not known": why totals are not. The caller frees it. */
char *passive_why_unknown(const struct recording *recording);

#endif

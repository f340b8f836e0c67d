/* SPDX-License-Identifier: MIT
 * Compares two runs of one program: one with the agent, and a passive one, in which nothing of the STM was hooked. Only
 * their difference shows the agent's own effects. */
#ifndef PASSIVE_H
#define PASSIVE_H

#include "records.h"

static inline bool passive_is(const struct recording *recording)
{
	return recording->info.passive != 0;
}

/* Why the two cannot be compared, without a full stop; borrowed. NULL: they can be compared. */
const char *passive_mismatch(const struct recording *a, const struct recording *b);

/* The aborts that libitm counts: all except those that the program asked for. */
uint64_t passive_restarts(const struct recording *recording);

/* The number of these aborts with the agent, relative to the number without it; negative: not known. */
double passive_ratio(const struct recording *passive, const struct recording *with_agent);

/* Why the totals are not known: "the counters of this libitm (build-id 52e5fc...) are not known". Free it with
 * memory_free(). */
char *passive_why_unknown(const struct recording *recording);

#endif

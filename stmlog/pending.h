/* SPDX-License-Identifier: MIT
 *
 * The groups of the running transaction, before any timelog sees them: a storm of
 * short aborts competes with its total, not abort by abort.
 *
 * Invariant: len <= PENDING_GROUPS; groups[0 .. len) are used, each with a key of its own.
 */
#ifndef STMLOG_PENDING_H
#define STMLOG_PENDING_H

#include "group.h"

#define PENDING_GROUPS 8

struct pending {
	size_t len;
	struct group groups[PENDING_GROUPS];
};

/* Adds an event to the group of its key. When that is one group too many, the cheapest of the others
 * is moved to *spilled and true returned: the caller hands it on and ends it. */
bool pending_add(struct pending *pending, const struct event *event, struct group *spilled);

#endif

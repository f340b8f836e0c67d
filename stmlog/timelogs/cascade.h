/* SPDX-License-Identifier: MIT
 *
 * Wasted aborts. A culprit makes another attempt abort; if the culprit's own attempt aborts later, the abort that it
 * caused was wasted. A cascade has the culprits of one pending group whose attempts are still under way. The owner of
 * the group checks their outcomes (cascade_decide()) until all are known, or the group goes into timelogs
 * (cascade_close()). Then an abort without a known outcome is *undecided*.
 */
#ifndef STMLOG_CASCADE_H
#define STMLOG_CASCADE_H

#include <stmlog/read.h>

#include "attempts.h"

#define CASCADE_CULPRITS 4

/* Invariant: open[0 .. len) have different culprits. Each has caused `count` aborts, which took `lost_ns` together. */
struct cascade {
	size_t len;
	struct {
		struct culprit culprit;
		uint64_t count;
		uint64_t lost_ns;
	} open[CASCADE_CULPRITS];
};

/* Adds one abort of the entry; does nothing if the culprit is not known. If there are too many culprits, the aborts of
 * the oldest one count as undecided. */
void cascade_add(struct cascade *cascade, struct stmlog_entry *entry, struct culprit culprit, uint64_t lost_ns);

/* Removes the culprits whose outcome is known by now, and adds the aborts of those that aborted to the entry's wasted
 * aborts. Returns whether any culprit is left. */
bool cascade_decide(struct cascade *cascade, struct stmlog_entry *entry);

/* As cascade_decide(), and counts the aborts of all other culprits as undecided. */
void cascade_close(struct cascade *cascade, struct stmlog_entry *entry);

#endif

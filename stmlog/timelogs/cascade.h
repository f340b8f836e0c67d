/* SPDX-License-Identifier: MIT
 *
 * The culprits of a group whose own attempts were not over when they made somebody
 * abort. When such an attempt is aborted in its turn, the abort that it caused was for
 * nothing. Asked again and again until it is known, or the group has to go.
 */
#ifndef STMLOG_CASCADE_H
#define STMLOG_CASCADE_H

#include <stmlog/stmlog.h>

#include "attempts.h"

#define CASCADE_CULPRITS 4

/* An attempt that made another one abort; attempts NULL: not known. The record that `attempts` lies in
 * exists as long as any thread is attached. */
struct culprit {
	const struct attempts *attempts;
	uint64_t attempt;
};

/* Invariant: culprits[0 .. len) are distinct; `count` aborts, of `lost_ns` together, are due to each. */
struct cascade {
	size_t len;
	struct {
		struct culprit culprit;
		uint64_t count;
		uint64_t lost_ns;
	} open[CASCADE_CULPRITS];
};

/* Adds one abort of the entry's. Where there are too many culprits the longest known is given up: undecided. */
void cascade_add(struct cascade *cascade, struct stmlog_entry *entry, struct culprit culprit, uint64_t lost_ns);

/* Books to the entry what has been decided. Returns whether something has not. */
bool cascade_decide(struct cascade *cascade, struct stmlog_entry *entry);

/* The same, and books the rest as undecided. */
void cascade_close(struct cascade *cascade, struct stmlog_entry *entry);

#endif

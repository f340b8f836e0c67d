/* SPDX-License-Identifier: MIT
 * How long transactions were blocked after a retry, by the places where they begin: sites with the same name are one
 * row. And what they waited for, of those that were measured. */
#ifndef BLOCKED_H
#define BLOCKED_H

#include "symbol.h"

struct blocked_row {
	uint32_t place;
	struct stmlog_blocked_record record;
	/* Entries of attempts that have ended with a retry; NULL: none. `waits` has the most attempts, but those with a
	 * known object come first. `woken` has the most of those that a known transaction had woken; those come first
	 * of which the place of the write is known, too. */
	const struct stmlog_entry_record *waits, *woken;
};

/* Of the entry's objects, the address of most losses; 0: none is known. */
uint64_t blocked_address(const struct stmlog_entry_record *entry);

/* The place where those transactions begin that have woken them most often, and how many wakes of them are known;
 * PLACE_UNKNOWN, 0: none is. */
struct blocked_waker {
	uint32_t place;
	uint64_t count;
};
struct blocked_waker blocked_waker(struct places *places, const struct blocked_row *row);

/* The rows, the longest time first. */
struct blocked {
	struct blocked_row *rows;
	size_t len;
};

struct blocked blocked_make(const struct recording *recording, struct places *places);
void blocked_fini(struct blocked *blocked);

#endif

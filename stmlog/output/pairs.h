/* SPDX-License-Identifier: MIT
 * Who lost to whom: the groups of a timelog added up by the innermost place of each side, places being
 * the same when they are called the same. Losses that no other transaction had part in are left out. */
#ifndef STMLOG_PAIRS_H
#define STMLOG_PAIRS_H

#include "index.h"
#include "timelog.h"

enum place_kind { PLACE_UNKNOWN, PLACE_NO_FRAMES, PLACE_SITE };

struct place {
	enum place_kind kind;
	struct tb_site site; /* of the first group that stood there */
	uint64_t hash;       /* equal for equal names */
};

struct pair {
	struct place local;
	struct place remote;
	struct stmlog_cost sum; /* variance_ns2: an upper bound */
};

/* Invariant: at[0 .. len) differ; they stand in the order in which the costliest group of each comes. */
struct pairs {
	struct pair *at;
	size_t len;
	struct index index;
	size_t size; /* bytes taken */
};

/* Returns 0 or -ENOMEM; then there is nothing to drop. */
int pairs_make(struct pairs *pairs, struct stmlog_timelog *log);
void pairs_drop(struct pairs *pairs);

/* The one that comes next by time, highest first; NULL: the first of all, and there is none left. */
const struct pair *pairs_after(const struct pairs *pairs, const struct pair *pair);

#endif

/* SPDX-License-Identifier: MIT
 * Losses added up by a key of two numbers, and sorted. The caller chooses the meaning of the numbers. The losses of all
 * entries are added up by victim and culprit here. */
#ifndef TALLY_H
#define TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "estimate.h"
#include "records.h"
#include "symbol.h"

enum tally_sort { TALLY_LOST, TALLY_COUNT, TALLY_LONGEST };

struct tally_row {
	uint64_t key[2];
	struct tally_sum sum;
	size_t parts; /* how many rows were merged */
	size_t first; /* the number of the first of them, in the order of tally_add() */
	/* From here on set by tally_group(). */
	struct estimate lost;
	bool is_too_few; /* estimate_is_too_few() */
};

/* Rows stay where tally_add() has put them; only pointers to them are sorted, because a row is many times as long.
 * Invariant: len <= cap. Until tally_group(), several rows may have the same key. */
struct tally {
	const struct recording *recording;
	struct tally_row *added;
	struct tally_row **rows; /* the first `len`: in the order of tally_add(), until tally_group() */
	size_t len;
	size_t cap;
};

/* Makes room for `max` calls of tally_add(). The losses belong to this recording; NULL: to an exact one. */
struct tally tally_make(const struct recording *recording, size_t max);
void tally_drop(struct tally *tally);

void tally_add(struct tally *tally, uint64_t key0, uint64_t key1, const struct tally_sum *sum);

/* Merges the rows of each key, and sorts. By lost time: the largest lower end of the interval first, and of equal ones
 * the largest estimate. By lost time and by count, rows that are too few to say come last. By the longest loss they do
 * not, because a single loss is measured, not estimated. Equal rows keep the order of their first parts. */
void tally_group(struct tally *tally, enum tally_sort measure);

/* The number of rows before those that are too few to say. By the longest loss, all rows. */
size_t tally_known(const struct tally *tally, enum tally_sort measure);

/* ---- sums by victim and culprit ---- */

/* Only the entries are added up: evicted losses have no places any more. Losses without another transaction are left
 * out. Losses to an unknown transaction are included, so that the sums are those of the entries. */

/* One row for each pair of places: key[0] is the victim's, key[1] the culprit's. The caller calls tally_drop(). */
struct tally blame_pairs(const struct recording *recording, struct places *places, enum tally_sort sort);

/* An upper bound of the time that the run would save without these losses: the lost time, or if it is an estimate the
 * upper end of its interval, but at most the time that the run took. */
uint64_t blame_bound_ns(const struct recording *recording, const struct tally_sum *sum);

/* One row for each traceback of a culprit: key[0] is the traceback, `parts` the number of places that lost to it. The
 * caller calls tally_drop(). */
struct tally blame_aggressors(const struct recording *recording, struct places *places, enum tally_sort sort);

#endif

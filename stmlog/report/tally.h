/* SPDX-License-Identifier: MIT
 * Losses added up by a key of two numbers, whatever these stand for, and put in order. */
#ifndef TALLY_H
#define TALLY_H

#include <stddef.h>
#include <stdint.h>

#include <stmlog/format.h>

enum tally_sort { TALLY_LOST, TALLY_COUNT, TALLY_LONGEST };

struct tally_sum {
	uint64_t count;
	uint64_t lost_ns;
	uint64_t overstated_ns; /* lost_ns is too high by at most this */
	uint64_t longest_ns;
	uint64_t wasted; /* of `count`, for nothing */
	uint64_t wasted_ns;
	uint64_t false_conflicts; /* of `count`, over different data */
	double surplus_ns;        /* what more all transactions have lost, if only some were measured */
	double variance_ns2;      /* of that; of a sum an upper bound */
};

struct tally_row {
	uint64_t key[2];
	struct tally_sum sum;
	size_t parts; /* how many were added under the key */
	size_t first; /* the number of the first of them, from 0 */
};

/* Invariant: len <= cap. Rows of one key may stand there several times until tally_group(). */
struct tally {
	struct tally_row *rows;
	size_t len;
	size_t cap;
};

/* Room for `most` calls of tally_add(). */
struct tally tally_make(size_t most);
void tally_drop(struct tally *tally);

void tally_add(struct tally *tally, uint64_t key0, uint64_t key1, const struct tally_sum *sum);

/* Makes one row of all that have one key, and puts the greatest first; equals stay as their first parts came. */
void tally_group(struct tally *tally, enum tally_sort measure);

struct tally_sum tally_sum_of(const struct stmlog_entry_record *entry);
struct tally_sum tally_sum_of_total(const struct stmlog_total_record *total);

#endif

/* SPDX-License-Identifier: MIT
 * Losses added up by a key of two numbers, and sorted. The meaning of the numbers is the caller's. */
#ifndef TALLY_H
#define TALLY_H

#include <stddef.h>
#include <stdint.h>

#include <stmlog/format.h>

enum tally_sort { TALLY_LOST, TALLY_COUNT, TALLY_LONGEST };

struct tally_sum {
	uint64_t count;
	uint64_t lost_ns;
	uint64_t overstated_ns; /* by at most this lost_ns is too high */
	uint64_t longest_ns;
	uint64_t wasted; /* of `count`: the culprit was aborted as well */
	uint64_t wasted_ns;
	uint64_t false_conflicts; /* of `count`: over different objects */
	double surplus_ns;        /* estimate for all transactions, minus the measured time */
	double variance_ns2;      /* of that estimate; for a sum an upper bound */
};

struct tally_row {
	uint64_t key[2];
	struct tally_sum sum;
	size_t parts; /* how many rows were merged */
	size_t first; /* the number of the first of them, in the order of tally_add() */
};

/* Invariant: len <= cap. Several rows may have one key until tally_group(). */
struct tally {
	struct tally_row *rows;
	size_t len;
	size_t cap;
};

/* Room for `most` calls of tally_add(). */
struct tally tally_make(size_t most);
void tally_drop(struct tally *tally);

void tally_add(struct tally *tally, uint64_t key0, uint64_t key1, const struct tally_sum *sum);

/* Merges the rows of each key and sorts, the largest first. Rows of equal measure keep the order of their first parts.
 */
void tally_group(struct tally *tally, enum tally_sort measure);

struct tally_sum tally_sum_of(const struct stmlog_entry_record *entry);
struct tally_sum tally_sum_of_total(const struct stmlog_total_record *total);

#endif

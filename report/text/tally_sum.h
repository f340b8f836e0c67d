/* SPDX-License-Identifier: MIT
 * The sum of some losses. */
#ifndef TALLY_SUM_H
#define TALLY_SUM_H

#include <stdint.h>

#include <stmlog/format.h>

/* The rows of an account that a sum is a part of, as a bit set. 0: not known. */
#define TALLY_ROW(row) (UINT64_C(1) << (row))
#define TALLY_LOSSES \
	(TALLY_ROW(STMLOG_ACCOUNT_ABORTED) | TALLY_ROW(STMLOG_ACCOUNT_PAUSED) | TALLY_ROW(STMLOG_ACCOUNT_WAITING))

struct tally_sum {
	uint64_t count;
	uint64_t lost_ns;
	uint64_t longest_ns;
	uint64_t wasted; /* of `count`: losses whose culprit was aborted as well */
	uint64_t wasted_ns;
	uint64_t false_conflicts; /* of `count`: conflicts over different objects */
	double surplus_ns;        /* estimate for all transactions, minus the measured time */
	double variance_ns2;      /* of that estimate; for a sum an upper bound */
	uint64_t descheduled_ns;  /* time off the processor during the losses; not part of lost_ns */
	uint64_t rows;
};

struct recording;

struct tally_sum tally_sum_of(const struct stmlog_entry_record *entry);
struct tally_sum tally_sum_of_evicted(const struct recording *recording);
struct tally_sum tally_sum_of_total(const struct stmlog_total_record *total);

void tally_sum_add(struct tally_sum *sum, const struct tally_sum *more);

#endif

/* SPDX-License-Identifier: MIT
 * The distributions of attempts and lost time, by the place where transactions begin. Sites of one name are one place.
 */
#ifndef TRANSACTIONS_H
#define TRANSACTIONS_H

#include "recording.h"
#include "tally.h"

/* record.site means nothing here: the row may be the sum of several sites. */
struct transactions_row {
	uint32_t place; /* PLACE_UNKNOWN: the site is not known, or there was no room for it in the recording */
	struct stmlog_transaction_record record;
};

/* Invariant: no two rows have one place. */
struct transactions {
	struct transactions_row *rows;
	size_t len;
};

/* Sorted by lost time, by aborted attempts, or by the most time that one transaction lost, largest first; equal rows in
 * the order of the file. */
struct transactions transactions_make(const struct recording *recording, struct places *places, enum tally_sort sort);
void transactions_fini(struct transactions *transactions);

struct transactions_summary {
	uint64_t median;
	uint64_t p99;
	uint64_t max;
};
struct transactions_summary transactions_attempts(const struct stmlog_transaction_record *record);
struct transactions_summary transactions_lost_ns(const struct stmlog_transaction_record *record);

/* ---- quantiles of values of which only the counts by bucket are known (format.h, TRANSACTIONS) ----
 * They are at most a fifth too high. */

/* The largest value of a bucket. Not for the last bucket, which has no largest value. */
uint64_t distribution_bound(size_t bucket);

/* A value that at least `percent` per cent of the values do not exceed: the largest of the bucket in which the quantile
 * lies, but at most `longest`, the largest of all values. 0 without values. Requires 1 <= percent <= 100. */
uint64_t distribution_quantile(const uint64_t *buckets, size_t len, unsigned percent, uint64_t longest);

#endif

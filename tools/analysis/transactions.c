/* SPDX-License-Identifier: MIT
 * The distributions of attempts and lost time by the place where transactions begin, and quantiles of them. */
#include "transactions.h"

#include <stdlib.h>

#include "check.h"
#include "memory.h"
#include "record_sums.h"
#include "saturate.h"
#include "sort.h"

/* ---- quantiles of values by bucket ---- */

/* Values below SINGLE have a bucket each; above, each power of two has PER_POWER buckets. */
enum { SINGLE = 8, PER_POWER = 4, FIRST_DIGITS = 4 };

uint64_t distribution_bound(size_t bucket)
{
	if (bucket < SINGLE)
		return bucket;
	size_t shift = (bucket - SINGLE) / PER_POWER + FIRST_DIGITS - 3;
	uint64_t leading = PER_POWER + (bucket - SINGLE) % PER_POWER; /* the first three binary digits */
	return (leading << shift) + ((UINT64_C(1) << shift) - 1);
}

/* UINT64_MAX if it overflows. */
static uint64_t count_of(const uint64_t *buckets, size_t len)
{
	uint64_t count = 0;
	for (size_t i = 0; i < len; i++)
		count = saturated_sum(count, buckets[i]);
	return count;
}

uint64_t distribution_quantile(const uint64_t *buckets, size_t len, unsigned percent, uint64_t longest)
{
	REQUIRES(percent >= 1 && percent <= 100);
	uint64_t count = count_of(buckets, len), seen = 0;
	uint64_t rank = count / 100 * percent + (count % 100 * percent + 99) / 100; /* rounded up */
	if (count == 0)
		return 0;
	for (size_t i = 0; i + 1 < len; i++) {
		seen = saturated_sum(seen, buckets[i]);
		if (seen >= rank)
			return distribution_bound(i) < longest ? distribution_bound(i) : longest;
	}
	return longest;
}

/* ---- transactions by place ---- */

/* record.reserved is the row's position in the file, for the sorting. */
static int by_place(const void *a, const void *b)
{
	const struct transactions_row *left = a, *right = b;
	int places = sort_numbers(left->place, right->place);
	return places != 0 ? places : sort_numbers(left->record.reserved, right->record.reserved);
}

static uint64_t measure(const struct stmlog_transaction_record *record, enum tally_sort sort)
{
	switch (sort) {
	case TALLY_COUNT:
		return record->attempts - record->commits;
	case TALLY_LONGEST:
		return record->longest_ns;
	default:
		return record->lost_ns;
	}
}

static int by_measure(const void *a, const void *b, void *arg)
{
	const struct transactions_row *left = a, *right = b;
	enum tally_sort sort = *(const enum tally_sort *)arg;
	int measures = sort_numbers(measure(&right->record, sort), measure(&left->record, sort));
	return measures != 0 ? measures : sort_numbers(left->record.reserved, right->record.reserved);
}

struct transactions transactions_make(const struct recording *recording, struct places *places, enum tally_sort sort)
{
	size_t count = recording->transaction_count;
	struct transactions all = {memory_zeroed(count, sizeof *all.rows), 0};
	for (size_t i = 0; i < count; i++) {
		const struct stmlog_transaction_record *record = &recording->transactions[i];
		bool is_known = record->site != STMLOG_NO_SITE;
		all.rows[i] = (struct transactions_row){
			is_known ? places_site(places, record->site) : PLACE_UNKNOWN, *record};
		all.rows[i].record.reserved = (uint32_t)i;
	}
	qsort(all.rows, count, sizeof *all.rows, by_place);
	for (size_t i = 0; i < count; i++) {
		if (all.len > 0 && all.rows[all.len - 1].place == all.rows[i].place)
			transaction_record_add(&all.rows[all.len - 1].record, &all.rows[i].record);
		else
			all.rows[all.len++] = all.rows[i];
	}
	qsort_r(all.rows, all.len, sizeof *all.rows, by_measure, &sort);
	return all;
}

void transactions_fini(struct transactions *transactions)
{
	free(transactions->rows);
	*transactions = (struct transactions){NULL, 0};
}

static struct transactions_summary summary(const uint64_t *buckets, size_t len, uint64_t max)
{
	return (struct transactions_summary){
		distribution_quantile(buckets, len, 50, max), distribution_quantile(buckets, len, 99, max), max};
}

struct transactions_summary transactions_attempts(const struct stmlog_transaction_record *record)
{
	return summary(record->by_attempts, STMLOG_ATTEMPT_BUCKETS, record->max_attempts);
}

struct transactions_summary transactions_lost_ns(const struct stmlog_transaction_record *record)
{
	return summary(record->by_lost_ns, STMLOG_LOST_BUCKETS, record->longest_ns);
}

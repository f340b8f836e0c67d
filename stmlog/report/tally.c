/* SPDX-License-Identifier: MIT
 * Rows are grouped by sorting: rows of one key become neighbours and are merged. */
#include "tally.h"

#include <stmlog/stmlog.h>

#include "report_memory.h"
#include "sort.h"

struct tally tally_make(size_t most)
{
	return (struct tally){.rows = memory_zeroed(most, sizeof(struct tally_row)), .cap = most};
}

void tally_drop(struct tally *tally)
{
	memory_free(tally->rows);
	*tally = (struct tally){.rows = NULL};
}

void tally_add(struct tally *tally, uint64_t key0, uint64_t key1, const struct tally_sum *sum)
{
	if (tally->len == tally->cap)
		return;
	tally->rows[tally->len] = (struct tally_row){{key0, key1}, *sum, 1, tally->len};
	tally->len++;
}

static int compare_keys(const struct tally_row *left, const struct tally_row *right)
{
	int by_first = sort_numbers(left->key[0], right->key[0]);
	return by_first != 0 ? by_first : sort_numbers(left->key[1], right->key[1]);
}

static int by_key(const void *a, const void *b, const void *arg)
{
	const struct tally_row *left = a, *right = b;
	(void)arg;
	int keys = compare_keys(left, right);
	return keys != 0 ? keys : sort_numbers(left->first, right->first);
}

static int by_lost(const struct tally_sum *left, const struct tally_sum *right)
{
	double left_ns = (double)left->lost_ns + left->surplus_ns,
	       right_ns = (double)right->lost_ns + right->surplus_ns;
	if (left_ns < right_ns || left_ns > right_ns)
		return left_ns > right_ns ? -1 : 1;
	return sort_numbers(right->lost_ns, left->lost_ns);
}

static int by_sort(const struct tally_sum *left, const struct tally_sum *right, enum tally_sort sort)
{
	switch (sort) {
	case TALLY_COUNT:
		return sort_numbers(right->count, left->count);
	case TALLY_LONGEST:
		return sort_numbers(right->longest_ns, left->longest_ns);
	default:
		return by_lost(left, right);
	}
}

static int by_measure(const void *a, const void *b, const void *arg)
{
	const struct tally_row *left = a, *right = b;
	int measures = by_sort(&left->sum, &right->sum, *(const enum tally_sort *)arg);
	return measures != 0 ? measures : sort_numbers(left->first, right->first);
}

static void merge(struct tally_row *into, const struct tally_row *from)
{
	into->parts += from->parts;
	into->sum.count += from->sum.count;
	into->sum.lost_ns += from->sum.lost_ns;
	into->sum.overstated_ns += from->sum.overstated_ns;
	into->sum.wasted += from->sum.wasted;
	into->sum.wasted_ns += from->sum.wasted_ns;
	into->sum.false_conflicts += from->sum.false_conflicts;
	into->sum.surplus_ns += from->sum.surplus_ns;
	into->sum.variance_ns2 = stmlog_joint_variance(into->sum.variance_ns2, from->sum.variance_ns2);
	if (from->sum.longest_ns > into->sum.longest_ns)
		into->sum.longest_ns = from->sum.longest_ns;
}

void tally_group(struct tally *tally, enum tally_sort measure)
{
	size_t kept = 0;
	sort(tally->rows, tally->len, sizeof *tally->rows, by_key, NULL);
	for (size_t i = 0; i < tally->len; i++) {
		if (kept > 0 && compare_keys(&tally->rows[kept - 1], &tally->rows[i]) == 0)
			merge(&tally->rows[kept - 1], &tally->rows[i]);
		else
			tally->rows[kept++] = tally->rows[i];
	}
	tally->len = kept;
	sort(tally->rows, tally->len, sizeof *tally->rows, by_measure, &measure);
}

struct tally_sum tally_sum_of(const struct stmlog_entry_record *entry)
{
	return (struct tally_sum){
		.count = entry->count,
		.lost_ns = entry->lost_ns,
		.overstated_ns = entry->overstated_ns,
		.longest_ns = entry->longest_ns,
		.wasted = entry->wasted,
		.wasted_ns = entry->wasted_ns,
		.false_conflicts = entry->false_conflicts,
		.surplus_ns = entry->estimated_ns - (double)(entry->lost_ns - entry->overstated_ns),
		.variance_ns2 = entry->variance_ns2,
	};
}

struct tally_sum tally_sum_of_total(const struct stmlog_total_record *total)
{
	return (struct tally_sum){
		.count = total->count,
		.lost_ns = total->lost_ns,
		.surplus_ns = total->estimated_ns - (double)total->lost_ns,
		.variance_ns2 = total->variance_ns2,
	};
}

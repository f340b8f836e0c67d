/* SPDX-License-Identifier: MIT
 * Rows are grouped by sorting: rows of one key become neighbours and are merged. */
#include "tally.h"

#include "report_memory.h"
#include "sort.h"

struct tally tally_make(const struct recording *recording, size_t most)
{
	return (struct tally){
		.recording = recording, .rows = memory_zeroed(most, sizeof(struct tally_row)), .cap = most};
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
	tally->rows[tally->len] = (struct tally_row){.key = {key0, key1}, .sum = *sum, .parts = 1, .first = tally->len};
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

static int by_lost(const struct estimate *left, const struct estimate *right)
{
	int lows = sort_numbers(right->low_ns, left->low_ns);
	return lows != 0 ? lows : sort_numbers(right->ns, left->ns);
}

static int by_sort(const struct tally_row *left, const struct tally_row *right, enum tally_sort sort)
{
	if (sort == TALLY_LONGEST)
		return sort_numbers(right->sum.longest_ns, left->sum.longest_ns);
	if (left->is_too_few != right->is_too_few)
		return left->is_too_few ? 1 : -1;
	return sort == TALLY_COUNT ? sort_numbers(right->sum.count, left->sum.count)
				   : by_lost(&left->lost, &right->lost);
}

static int by_measure(const void *a, const void *b, const void *arg)
{
	const struct tally_row *left = a, *right = b;
	int measures = by_sort(left, right, *(const enum tally_sort *)arg);
	return measures != 0 ? measures : sort_numbers(left->first, right->first);
}

static void merge(struct tally_row *into, const struct tally_row *from)
{
	into->parts += from->parts;
	tally_sum_add(&into->sum, &from->sum);
}

static void estimate_rows(struct tally *tally)
{
	for (size_t i = 0; i < tally->len; i++) {
		struct tally_row *row = &tally->rows[i];
		row->lost = estimate_of(tally->recording, &row->sum);
		row->is_too_few = estimate_is_too_few(tally->recording, row->sum.count);
	}
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
	estimate_rows(tally);
	sort(tally->rows, tally->len, sizeof *tally->rows, by_measure, &measure);
}

size_t tally_known(const struct tally *tally, enum tally_sort measure)
{
	size_t known = tally->len;
	while (measure != TALLY_LONGEST && known > 0 && tally->rows[known - 1].is_too_few)
		known--;
	return known;
}

/* SPDX-License-Identifier: MIT
 * Evicted losses have no functions, and are in no pair. */
#include "diff_pairs.h"

#include <string.h>

#include "diff_judge.h"
#include "memory.h"

const char *diff_pairs_function(const struct diff_traceback *traceback)
{
	bool has_function = traceback->len > 0 && traceback->frames[0].function != NULL;
	return has_function ? traceback->frames[0].function : "unknown";
}

static const struct diff_key *key_of(const struct diff_row *row)
{
	return row->key[DIFF_OLD] != NULL ? row->key[DIFF_OLD] : row->key[DIFF_NEW];
}

static bool is_same_pair(const struct diff_key *a, const struct diff_key *b)
{
	return strcmp(diff_pairs_function(&a->local), diff_pairs_function(&b->local)) == 0 &&
	       strcmp(diff_pairs_function(&a->remote), diff_pairs_function(&b->remote)) == 0;
}

static struct diff_row *find(struct diff *diff, const struct diff_row *row)
{
	for (size_t i = 0; i < diff->pairs_len; i++) {
		if (is_same_pair(key_of(&diff->pairs[i]), key_of(row)))
			return &diff->pairs[i];
	}
	struct diff_row *pair = &diff->pairs[diff->pairs_len++];
	for (int side = 0; side < 2; side++) {
		pair->key[side] = row->key[side];
		pair->values[side] = memory_zeroed(diff->sides[side].len, sizeof(double));
	}
	return pair;
}

static void add(const struct diff *diff, struct diff_row *pair, const struct diff_row *row)
{
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < diff->sides[side].len; i++)
			pair->values[side][i] += row->values[side][i];
}

void diff_pairs_make(struct diff *diff)
{
	diff->pairs = memory_zeroed(diff->len, sizeof *diff->pairs);
	for (size_t i = 0; i < diff->len; i++) {
		if (!key_of(&diff->rows[i])->is_evicted)
			add(diff, find(diff, &diff->rows[i]), &diff->rows[i]);
	}
	for (size_t i = 0; i < diff->pairs_len; i++)
		diff_row_fill(diff, &diff->pairs[i]);
}

/* SPDX-License-Identifier: MIT
 * Evicted losses have no functions, and are in no pair. */
#include "diff_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "dictionary.h"
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

/* A text for both functions. Names may have any bytes, so the text has the length of the first, too. */
static char *text_of(const struct diff_key *key)
{
	const char *local = diff_pairs_function(&key->local), *remote = diff_pairs_function(&key->remote);
	return memory_format("%zu %s%s", strlen(local), local, remote);
}

/* The pair of the row. Pairs are in the order of the dictionary's numbers. */
static struct diff_row *find(struct diff *diff, struct dictionary *texts, const struct diff_row *row)
{
	char *text = text_of(key_of(row));
	const struct dictionary_entry *entry = dictionary_find(texts, text);
	struct diff_row *pair = &diff->pairs[entry->number - 1];
	free(text);
	if (!entry->is_new)
		return pair;
	diff->pairs_len++;
	pair->metric = row->metric;
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
	struct dictionary texts = {.len = 0};
	diff->pairs = memory_zeroed(diff->len, sizeof *diff->pairs);
	for (size_t i = 0; i < diff->len; i++) {
		if (!key_of(&diff->rows[i])->is_evicted)
			add(diff, find(diff, &texts, &diff->rows[i]), &diff->rows[i]);
	}
	dictionary_fini(&texts);
	for (size_t i = 0; i < diff->pairs_len; i++)
		diff_row_fill(diff, &diff->pairs[i]);
}

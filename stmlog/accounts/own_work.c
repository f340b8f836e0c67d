/* SPDX-License-Identifier: MIT
 * A table of words by their addresses, as hooks pass them. A word claims the first free row by compare-and-swap, and
 * keeps it; sums are added up atomically. */
#include "own_work.h"

#include <string.h>

#include <atomic_ops.h>

_Static_assert(sizeof(struct stmlog_own_work_record) == 48, "the format's records have no hidden padding");

struct row {
	volatile AO_t word; /* its address; 0: the row is free */
	volatile AO_t count, ns;
	volatile AO_t has_text; /* partners: own_work_add() (release); own_work_copy() (acquire) */
	char text[sizeof((struct stmlog_own_work_record *)NULL)->word];
};

static struct row rows[OWN_WORK_WORDS];

void own_work_forget(void)
{
	memset(rows, 0, sizeof rows);
}

/* The word's row; NULL: no row is free. The thread that claims a row copies the text, since the string may be
 * unloaded later. */
static struct row *find(const char *word)
{
	for (struct row *row = rows; row < rows + OWN_WORK_WORDS; row++) {
		if (AO_load(&row->word) == 0 && AO_compare_and_swap_full(&row->word, 0, (AO_t)word)) {
			strncpy(row->text, word, sizeof row->text - 1);
			AO_store_release(&row->has_text, 1);
		}
		if (AO_load(&row->word) == (AO_t)word)
			return row;
	}
	return NULL;
}

void own_work_add(const char *word, uint64_t ns)
{
	struct row *row = word != NULL ? find(word) : NULL;
	if (row == NULL)
		return;
	AO_fetch_and_add(&row->ns, ns);
	AO_fetch_and_add1(&row->count);
}

/* The same text may stand at several addresses. */
static struct stmlog_own_work_record *record_of(struct stmlog_own_work_record *records, size_t *len, const char *text)
{
	for (size_t i = 0; i < *len; i++)
		if (strcmp(records[i].word, text) == 0)
			return &records[i];
	memcpy(records[*len].word, text, sizeof records[*len].word);
	return &records[(*len)++];
}

void own_work_copy(struct buffer *section)
{
	struct stmlog_own_work_record records[OWN_WORK_WORDS] = {{.count = 0}};
	size_t len = 0;
	for (const struct row *row = rows; row < rows + OWN_WORK_WORDS; row++) {
		if (AO_load_acquire(&row->has_text) == 0)
			continue;
		struct stmlog_own_work_record *record = record_of(records, &len, row->text);
		record->count += AO_load(&row->count);
		record->ns += AO_load(&row->ns);
	}
	if (len != 0)
		buffer_append(section, records, len * sizeof *records);
}

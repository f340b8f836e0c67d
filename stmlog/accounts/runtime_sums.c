/* SPDX-License-Identifier: MIT
 * Two tables of fixed size, in which rows are claimed or added, and never move: they are found without waiting, and
 * their sums are added up atomically. */
#include "runtime_sums.h"

#include <string.h>

#include <atomic_ops.h>

#include "check.h"

_Static_assert(sizeof(struct stmlog_green_record) == 72 && sizeof(AO_t) == sizeof(uint64_t),
	"the format's records have no hidden padding, and their sums are added to as AO_t");
_Static_assert(sizeof(struct stmlog_own_work_record) == 48, "the format's records have no hidden padding");
_Static_assert(STMLOG_GREEN_MAX <= UINT16_MAX, "a loss has 16 bits for a number");

/* ---- green threads ----
 *
 * The table is the section as it stands in the file. Records are added by one thread at a time. */

/* 1: some thread adds a record. Partners: begin_adding() (acquire); green_record_find_or_add() (release). */
static volatile AO_t is_adding;
static struct stmlog_green_record green_records[STMLOG_GREEN_MAX];
/* Records [0, green_count) are complete. Partners: green_record_add() (release); green_record_find() and green_copy()
 * (acquire). */
static volatile AO_t green_count;

void green_forget(void)
{
	AO_store(&is_adding, 0); /* another thread may have set it when the process forked */
	AO_store(&green_count, 0);
	memset(green_records, 0, sizeof green_records);
}

/* A label stands for all threads that have it. */
static bool is_of(const struct stmlog_green_record *record, uint64_t id, const char *label)
{
	if (label[0] == '\0')
		return record->label[0] == '\0' && record->id == id;
	return strncmp(record->label, label, sizeof record->label - 1) == 0;
}

/* STMLOG_GREEN_MAX: there is none. */
static size_t green_record_find(uint64_t id, const char *label)
{
	for (size_t i = 0; i < AO_load_acquire(&green_count); i++)
		if (is_of(&green_records[i], id, label))
			return i;
	return STMLOG_GREEN_MAX;
}

/* Requires that there is room. */
static size_t green_record_add(uint64_t id, const char *label)
{
	REQUIRES(AO_load(&green_count) < STMLOG_GREEN_MAX);
	size_t last = AO_load(&green_count);
	green_records[last].id = id;
	memcpy(green_records[last].label, label, strnlen(label, sizeof green_records[last].label - 1));
	AO_store_release(&green_count, last + 1);
	return last;
}

/* Returns false if the thread that adds does not go on: a signal handler, which calls this, may have interrupted it. */
static bool begin_adding(void)
{
	enum { TRIES = 100000 };
	int tries = 0;
	while (tries < TRIES && !AO_compare_and_swap_full(&is_adding, 0, 1))
		tries++;
	return tries < TRIES;
}

static size_t green_record_find_or_add(uint64_t id, const char *label)
{
	if (!begin_adding())
		return STMLOG_GREEN_MAX;
	size_t found = green_record_find(id, label);
	if (found == STMLOG_GREEN_MAX && AO_load(&green_count) < STMLOG_GREEN_MAX)
		found = green_record_add(id, label);
	AO_store_release(&is_adding, 0);
	return found;
}

uint16_t stmlog_green_thread(uint64_t id, const char *label)
{
	size_t found = green_record_find(id, label);
	if (found == STMLOG_GREEN_MAX && AO_load(&green_count) < STMLOG_GREEN_MAX)
		found = green_record_find_or_add(id, label);
	if (found == STMLOG_GREEN_MAX)
		return 0;
	if (STMLOG_LOAD_RELAXED(&green_records[found].id) != id)
		STMLOG_STORE_RELAXED(&green_records[found].id, 0);
	return (uint16_t)(found + 1);
}

static void add_to(uint64_t *sum, uint64_t more)
{
	AO_fetch_and_add((volatile AO_t *)sum, more);
}

void green_add(const struct stmlog_loss *loss, uint64_t ns, uint32_t extra)
{
	uint64_t estimated_ns = ns * (1 + (uint64_t)extra);
	if (loss->cause.reason == STMLOG_USER_ABORT)
		return;
	if (loss->green != 0 && loss->green <= AO_load(&green_count)) {
		add_to(&green_records[loss->green - 1].count, 1);
		add_to(&green_records[loss->green - 1].estimated_ns, estimated_ns);
	}
	if (loss->remote_green != 0 && loss->remote_green <= AO_load(&green_count)) {
		add_to(&green_records[loss->remote_green - 1].led_count, 1);
		add_to(&green_records[loss->remote_green - 1].led_estimated_ns, estimated_ns);
	}
}

void green_copy(struct buffer *section)
{
	size_t len = AO_load_acquire(&green_count);
	if (len != 0)
		buffer_append(section, green_records, len * sizeof *green_records);
}

/* ---- own work ----
 *
 * The table has words by their addresses, as hooks pass them. A word claims the first free row by compare-and-swap, and
 * keeps it. */

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
static struct row *word_row(const char *word)
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
	struct row *row = word != NULL ? word_row(word) : NULL;
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

/* SPDX-License-Identifier: MIT
 * A row for each reason; the words are TinySTM's own. Counters are read by name, for which TinySTM compares strings:
 * this delays only the attempt that failed, after its locks were released. */
#include "tiny.h"

#include <stm.h>

struct row {
	const char *counter; /* NULL: none */
	enum stmlog_reason reason;
	enum stmlog_contention_kind contention;
	const char *word;
};

/* If a validation fails, another transaction has written data that this one had read; even if the validation was part
 * of a store. A transaction that was killed cannot know whether by a writer or a reader. */
static const struct row rows[TINY_REASONS] = {
	[TINY_WW_CONFLICT] = {"nb_aborts_locked_write", STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "WW_CONFLICT"},
	[TINY_VALIDATE_READ] = {"nb_aborts_validate_read", STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "VAL_READ"},
	[TINY_VALIDATE_COMMIT] = {"nb_aborts_validate_commit", STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "VALIDATE"},
	[TINY_VALIDATE_WRITE] = {"nb_aborts_validate_write", STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "VAL_WRITE"},
	[TINY_WR_CONFLICT] = {"nb_aborts_locked_read", STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "WR_CONFLICT"},
	[TINY_KILLED] = {"nb_aborts_killed", STMLOG_ABORTED_BY_OTHER, STMLOG_WRITE_WRITE,
		"KILLED, by a writer or reader"},
	[TINY_INVALID_MEMORY] = {"nb_aborts_invalid_memory", STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "SIGNAL"},
	[TINY_RW_CONFLICT] = {NULL, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "RW_CONFLICT"},
	[TINY_EXTEND_WS] = {NULL, STMLOG_SELF_ABORT, STMLOG_NONE, "EXTEND_WS"},
	[TINY_IRREVOCABLE] = {NULL, STMLOG_SELF_ABORT, STMLOG_INEVITABLE, "IRREVOCABLE"},
	[TINY_ASKED] = {NULL, STMLOG_USER_ABORT, STMLOG_NONE, "EXPLICIT, or asked to be IRREVOCABLE"},
	[TINY_UNCOUNTED] = {NULL, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "unknown: RW_CONFLICT, or asked for"},
	[TINY_UNKNOWN] = {NULL, STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "unknown: no TM_STATISTICS2"},
};

struct stmlog_cause tiny_cause(enum tiny_reason reason)
{
	const struct row *row = &rows[reason];
	return (struct stmlog_cause){row->reason, row->contention, row->word};
}

/* A counter that does not exist is read as 0. */
static bool read_counter(const char *name, unsigned *value)
{
	*value = 0;
	return stm_get_stats(name, value) != 0;
}

void tiny_counts_open(struct tiny_counts *counts)
{
	counts->are_kept = true;
	for (size_t i = 0; i < TINY_COUNTED; i++)
		counts->are_kept &= read_counter(rows[i].counter, &counts->by_reason[i]);
	read_counter("write_set_size", &counts->write_set_size);
}

/* An abort raises at most one counter. */
static enum tiny_reason counted(struct tiny_counts *counts)
{
	for (enum tiny_reason i = 0; i < TINY_COUNTED; i++) {
		unsigned value;
		read_counter(rows[i].counter, &value);
		if (value == counts->by_reason[i])
			continue;
		counts->by_reason[i] = value;
		return i;
	}
	return TINY_COUNTED;
}

/* TinySTM doubles a full write set during the rollback, before it calls the callback. With commit-time locking it
 * doubles the set without an abort; this is mistaken for one only if the set is exactly half full by chance. */
static bool has_grown(struct tiny_counts *counts)
{
	unsigned size, len, before = counts->write_set_size;
	read_counter("write_set_size", &size);
	read_counter("write_set_nb_entries", &len);
	counts->write_set_size = size;
	return size != before && len == size / 2;
}

static enum tiny_reason uncounted(const struct tiny_attempt *attempt)
{
	if (attempt->is_committing)
		return TINY_IRREVOCABLE;
	if (attempt->has_conflict)
		return TINY_RW_CONFLICT;
	return attempt->reports_conflicts ? TINY_ASKED : TINY_UNCOUNTED;
}

enum tiny_reason tiny_reason(struct tiny_counts *counts, const struct tiny_attempt *attempt)
{
	if (has_grown(counts))
		return TINY_EXTEND_WS;
	if (!counts->are_kept)
		return TINY_UNKNOWN;
	enum tiny_reason reason = counted(counts);
	return reason != TINY_COUNTED ? reason : uncounted(attempt);
}

bool tiny_is_of_conflict(enum tiny_reason reason, bool kills)
{
	bool is_over_lock = reason == TINY_WW_CONFLICT || reason == TINY_WR_CONFLICT || reason == TINY_RW_CONFLICT;
	return is_over_lock || (!kills && rows[reason].contention == STMLOG_WRITE_READ);
}

/* SPDX-License-Identifier: MIT
 * What ranking_of() returns for a recording in memory, `made`; and losses of transactions that are known by the name of
 * the function in which they begin. */
#ifndef RANKED_H
#define RANKED_H

#include "made_recording.h"
#include "ranking.h"
#include "test.h"

static struct made made;
static struct symbols *symbols;
static struct ranking ranked;

/* Begins a recording without losses. Ends the ranking of the last one. */
static inline void begin(void)
{
	ranking_fini(&ranked);
	symbols_destroy(&symbols);
	made_begin(&made);
}

static inline void rank(void)
{
	made_end(&made);
	symbols = symbols_create(&made.recording);
	ranked = ranking_of(&(struct report){.recording = &made.recording, .symbols = symbols});
}

/* NULL: there is none of this name. */
static inline const struct ranking_row *row_of(const char *name)
{
	for (size_t i = 0; i < ranked.len; i++)
		if (strcmp(ranked.rows[i].name, name) == 0)
			return &ranked.rows[i];
	return NULL;
}

/* The only row. */
static inline const struct ranking_row *only_row(void)
{
	rank();
	assert_int_equal(ranked.len, 1);
	return &ranked.rows[0];
}

static inline void assert_row(const char *name, uint64_t count, uint64_t lost_ns)
{
	const struct ranking_row *row = row_of(name);
	if (row == NULL)
		fail_msg("no row %s", name);
	assert_int_equal(row->count, count);
	assert_int_equal(row->lost.ns, lost_ns);
}

/* ---- losses ---- */

enum { LOST = 100000000, BEGIN_LINE = 10 };

static inline uint32_t at(const char *function, uint32_t line)
{
	return made_traceback(&made, made_site(&made, function, line), STMLOG_NO_SITE);
}

/* An access a line further. */
static inline uint32_t access_in(const char *transaction)
{
	uint32_t access = made_site(&made, transaction, BEGIN_LINE + 1);
	return made_traceback(&made, access, made_site(&made, transaction, BEGIN_LINE));
}

struct loss_kind {
	uint32_t reason, contention;
	const char *detail;
};
static const struct loss_kind conflict = {STMLOG_SELF_ABORT, STMLOG_WRITE_READ, "LOCKED_READ"},
			      commit_wait = {STMLOG_PAUSE, STMLOG_WRITE_READ, "COMMIT_WAIT"},
			      lock_wait = {STMLOG_PAUSE, STMLOG_WRITE_WRITE, ""},
			      alone_wait = {STMLOG_WAIT, STMLOG_INEVITABLE, "BEGIN_WAIT"},
			      upgrade_wait = {STMLOG_PAUSE, STMLOG_INEVITABLE, "UPGRADE_WAIT"},
			      cancelled = {STMLOG_USER_ABORT, STMLOG_NONE, "cancel"},
			      retry = {STMLOG_USER_ABORT, STMLOG_NONE, "RETRY"},
			      retry_in_vain = {STMLOG_USER_ABORT, STMLOG_NONE, "RETRY_IN_VAIN"},
			      retry_in_herd = {STMLOG_USER_ABORT, STMLOG_NONE, "RETRY_IN_HERD"};

/* A loss of a transaction because of another one. NULL: it is not known of which. */
static inline struct stmlog_entry_record *lose(
	struct loss_kind kind, const char *victim, const char *culprit, uint64_t count, uint64_t lost_ns)
{
	struct stmlog_entry_record *entry = made_loss(&made, kind.reason, kind.contention, kind.detail, count, lost_ns);
	if (victim != NULL)
		entry->site = made_site(&made, victim, BEGIN_LINE);
	entry->local = victim != NULL ? access_in(victim) : 0;
	entry->remote = culprit != NULL ? at(culprit, BEGIN_LINE) : 0;
	return entry;
}

/* A recording with one loss, at first. */
#define BEGIN_WITH(...) (begin(), (void)lose(__VA_ARGS__))

#endif

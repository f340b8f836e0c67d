/* SPDX-License-Identifier: MIT
 *
 * Reads what it has recorded, compiled with the header of an older or a newer release (tests/cli/header_versions.sh).
 * Behind each structure that the library fills in stands a guard. A newer header has a member `added` at the end of
 * each. Prints the figures; exit status 1 if a guard was overwritten, or `added` is not 0. */
#include <stdio.h>
#include <string.h>

#include "stmlog-vendor.h"

#define GUARD 0xa5a5a5a5a5a5a5a5u
#define GUARDED(type)           \
	struct {                \
		struct type it; \
		uint64_t guard; \
	}
#ifdef NEWER
#define IS_ZERO(guarded) ((guarded).it.added == 0)
#else
#define IS_ZERO(guarded) 1
#endif
#define IS_WHOLE(guarded) ((guarded).guard == GUARD && IS_ZERO(guarded))

static GUARDED(stmlog_account) account;
static GUARDED(stmlog_totals) totals;
static GUARDED(stmlog_entry) entry;
static GUARDED(stmlog_aggressor) aggressor;

static void prepare(void *guarded, size_t size)
{
	memset(guarded, 0xa5, size);
}

static void transact(struct stmlog_thread *thread)
{
	struct stmlog_loss loss = stmlog_loss_of(STMLOG_SELF_ABORT, STMLOG_WRITE_WRITE, "OLD");
	stmlog_push(thread, TB_HERE());
	stmlog_start(thread);
	loss.object = 8;
	loss.other = stmlog_origin(thread, TB_HERE());
	stmlog_abort(thread, &loss);
	stmlog_retry(thread);
	stmlog_commit(thread);
	stmlog_pop(thread);
}

int main(void)
{
	static const struct stmlog_setup setup = {.runtime = "old", .report = "none"};
	if (stmlog_open(&setup) != 0)
		return 1;
	struct stmlog_thread *thread = stmlog_thread_open(NULL);
	struct stmlog_timelog *log = stmlog_timelog_create(4);
	stmlog_timelog_activate(log);
	transact(thread);
	prepare(&account, sizeof account);
	prepare(&totals, sizeof totals);
	prepare(&entry, sizeof entry);
	prepare(&aggressor, sizeof aggressor);
	stmlog_account_read(thread, &account.it);
	stmlog_timelog_totals(log, &totals.it);
	struct stmlog_cursor cursor = stmlog_timelog_cursor(log);
	int found = stmlog_cursor_next(&cursor, &entry.it);
	size_t aggressors = stmlog_timelog_aggressors(log, &aggressor.it, 1);
	printf("commits=%d aborts=%d lost=%d entry=%d certain=%d aggressors=%d\n", (int)account.it.commits,
		(int)account.it.aborts[STMLOG_WRITE_WRITE],
		(int)totals.it.by_cause[STMLOG_SELF_ABORT][STMLOG_WRITE_WRITE].count, found, (int)entry.it.certain,
		(int)aggressors);
	stmlog_timelog_destroy(&log);
	stmlog_close();
	return !(IS_WHOLE(account) && IS_WHOLE(totals) && IS_WHOLE(entry) && IS_WHOLE(aggressor));
}

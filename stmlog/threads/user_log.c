/* SPDX-License-Identifier: MIT
 * Implements the public functions for timelogs that the user creates. Each excludes readers by the ledger's mutex,
 * which recording hooks never take, and hooks in signal handlers by keeping the handle busy. */
#include <errno.h>

#include "misuse.h"
#include "registry.h"
#include "session.h"
#include "timelog.h"

/* Locks the ledger of the log's owner, and keeps its handle busy, until unlock_ledger(). Returns whether the handle was
 * busy before, as it is after the end of its thread. */
static bool lock_ledger(struct stmlog_timelog *log)
{
	bool was_busy = log->owner->is_busy;
	thread_stay_busy(log->owner);
	ledger_lock(&log->owner->ledger);
	return was_busy;
}

static void unlock_ledger(struct stmlog_thread *owner, bool was_busy)
{
	ledger_unlock(&owner->ledger);
	if (!was_busy)
		thread_leave(owner);
}

static struct stmlog_timelog *make_for(struct stmlog_thread *thread, size_t capacity)
{
	struct stmlog_timelog *log = timelog_create(capacity, thread->stack);
	if (log != NULL) {
		log->owner = thread;
		registry_own_log(thread);
	}
	return log;
}

struct stmlog_timelog *stmlog_timelog_create(size_t capacity)
{
	struct stmlog_thread *thread = stmlog_thread_self();
	if (thread == NULL || capacity > UINT32_MAX / 4) {
		errno = EINVAL;
		return NULL;
	}
	return make_for(thread, capacity);
}

void stmlog_timelog_activate(struct stmlog_timelog *log)
{
	if (log == NULL)
		return;
	bool was_busy = lock_ledger(log);
	if (!log->is_active && !log->owner->is_ended)
		ledger_activate(&log->owner->ledger, log);
	unlock_ledger(log->owner, was_busy);
}

void stmlog_timelog_deactivate(struct stmlog_timelog *log)
{
	if (log == NULL)
		return;
	bool was_busy = lock_ledger(log);
	if (log->is_active)
		ledger_deactivate(&log->owner->ledger, log);
	unlock_ledger(log->owner, was_busy);
}

void stmlog_timelog_destroy(struct stmlog_timelog **log)
{
	if (log == NULL || *log == NULL)
		return;
	struct stmlog_thread *owner = (*log)->owner;
	bool was_busy = lock_ledger(*log);
	if ((*log)->is_active)
		ledger_deactivate(&owner->ledger, *log);
	timelog_destroy(log);
	unlock_ledger(owner, was_busy);
	registry_disown_log(owner);
}

void stmlog_timelog_clear(struct stmlog_timelog *log)
{
	if (log == NULL)
		return;
	bool was_busy = lock_ledger(log);
	ledger_settle(&log->owner->ledger);
	timelog_clear(log);
	unlock_ledger(log->owner, was_busy);
}

struct stmlog_timelog *stmlog_timelog_take(struct stmlog_timelog *log)
{
	if (log == NULL) {
		errno = EINVAL;
		return NULL;
	}
	struct stmlog_timelog *taken = make_for(log->owner, log->capacity);
	if (taken == NULL)
		return NULL;
	bool was_busy = lock_ledger(log);
	ledger_settle(&log->owner->ledger);
	timelog_merge(taken, log);
	timelog_clear(log);
	unlock_ledger(log->owner, was_busy);
	return taken;
}

static int read_into(struct stmlog_timelog *log, struct stmlog_timelog *into)
{
	struct ledger *ledger = &log->owner->ledger;
	int error = ledger_hold(ledger, log->owner == into->owner);
	if (error != 0)
		return error;
	ledger_read(ledger, log, into);
	ledger_release(ledger);
	return 0;
}

struct stmlog_timelog *stmlog_timelog_snapshot_remote(struct stmlog_timelog *log)
{
	if (log == NULL) {
		errno = EINVAL;
		return NULL;
	}
	struct stmlog_timelog *copy = stmlog_timelog_create(log->capacity);
	if (copy == NULL)
		return NULL;
	registry_lock(); /* the owner must not detach meanwhile */
	int error = read_into(log, copy);
	registry_unlock();
	if (error != 0) {
		stmlog_timelog_destroy(&copy);
		errno = -error;
	}
	return copy;
}

size_t stmlog_timelog_capacity(const struct stmlog_timelog *log)
{
	return log != NULL ? log->capacity : 0;
}

/* Hands pending groups over, so that they count as recorded. */
static void settle(struct stmlog_timelog *log)
{
	bool was_busy = lock_ledger(log);
	ledger_settle(&log->owner->ledger);
	unlock_ledger(log->owner, was_busy);
}

size_t stmlog_timelog_len(struct stmlog_timelog *log)
{
	if (log == NULL)
		return 0;
	settle(log);
	return log->len;
}

void stmlog_timelog_totals_sized(struct stmlog_timelog *log, struct stmlog_totals *totals, size_t size)
{
	const struct stmlog_totals none = {.undecided = 0};
	if (log != NULL)
		settle(log);
	sized_copy(totals, size, log != NULL ? &log->totals : &none, sizeof none);
}

struct stmlog_cursor stmlog_timelog_cursor(struct stmlog_timelog *log)
{
	if (log == NULL)
		return (struct stmlog_cursor){.log = NULL};
	settle(log);
	return (struct stmlog_cursor){.log = log, .rank = 0, .version = log->version};
}

enum stmlog_next stmlog_cursor_next_sized(struct stmlog_cursor *cursor, struct stmlog_entry *entry, size_t size)
{
	if (cursor->log == NULL)
		return STMLOG_NEXT_END;
	settle(cursor->log);
	if (cursor->log->version != cursor->version)
		return STMLOG_NEXT_CHANGED;
	const struct group *group = timelog_at(cursor->log, cursor->rank);
	if (group == NULL)
		return STMLOG_NEXT_END;
	cursor->rank++;
	struct stmlog_entry found = group->entry;
	found.cause.detail = words_text(found.cause.detail);
	sized_copy(entry, size, &found, sizeof found);
	return STMLOG_NEXT_ENTRY;
}

size_t stmlog_timelog_aggressors_sized(
	struct stmlog_timelog *log, struct stmlog_aggressor *rows, size_t max, size_t size)
{
	if (log == NULL)
		return 0;
	settle(log);
	return aggressors_find(log, rows, max, size);
}

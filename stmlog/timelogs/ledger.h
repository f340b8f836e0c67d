/* SPDX-License-Identifier: MIT
 *
 * All that one thread has recorded: its pending groups and its active timelogs; and
 * how another thread reads them while the owner goes on. NOTES.txt, "Reading another
 * thread's timelogs", has the argument, claims L1 to L5.
 *
 * The owner changes its ledger only between ledger_enter() and ledger_leave(). A
 * reader asks it to keep off by hanging in a *detour*, an empty timelog of its own;
 * once the owner is not inside, everything but the detour stands still and may be
 * read like any private data. What the owner records meanwhile goes into the detour,
 * and from there into the timelogs when the reader is gone. The owner neither waits
 * nor allocates.
 *
 * Readers exclude each other, and the owner's own rare operations on timelogs
 * (create, clear, take, ...), by `readers`, a mutex that no recording hook takes.
 */
#ifndef STMLOG_LEDGER_H
#define STMLOG_LEDGER_H

#include <pthread.h>

#include <atomic_ops.h>

#include "pending.h"
#include "timelog.h"

struct ledger {
	volatile AO_t is_inside; /* the owner is between enter and leave */
	volatile AO_t detour;    /* the struct stmlog_timelog * to record into, or 0 */
	volatile AO_t detoured;  /* how many events have gone into detours, ever */
	AO_t detoured_at_hold;   /* what that was before the present reader's detour hung; under `readers` */
	struct pending pending;
	struct stmlog_timelog *active; /* list of active timelogs */
	struct stmlog_timelog *unread; /* former detours, to be added to the active timelogs */
	struct stmlog_timelog *spent;  /* former detours that have been; a reader takes them */
	struct tb_stack *stack;
	pthread_mutex_t readers;
};

void ledger_init(struct ledger *ledger, struct tb_stack *stack);

/* ---- owner, in recording hooks ---- */

/* Returns the detour to record into, or NULL: into the ledger itself. */
static inline struct stmlog_timelog *ledger_enter(struct ledger *ledger)
{
	/* Store, full barrier, load; partner: ledger_hold(), which has the same two the other way
	 * round. One of us sees the other (claim L1). */
	AO_store(&ledger->is_inside, 1);
	AO_nop_full();
	return (struct stmlog_timelog *)AO_load_acquire(&ledger->detour);
}

static inline void ledger_leave(struct ledger *ledger)
{
	/* Release; partner: the acquiring load of is_inside in ledger_hold(). */
	AO_store_release(&ledger->is_inside, 0);
}

/* As ledger_enter(), to record an event: before anything else moves, tells the reader that what it reads
 * from here on is ahead of the timelogs. Release; partner: ledger_stands_still(). */
static inline struct stmlog_timelog *ledger_enter_event(struct ledger *ledger)
{
	struct stmlog_timelog *detour = ledger_enter(ledger);
	if (STMLOG_UNLIKELY(detour != NULL))
		AO_store_release(&ledger->detoured, AO_load(&ledger->detoured) + 1);
	return detour;
}

/* Between the two: records an event where `detour` says. */
void ledger_put(struct ledger *ledger, struct stmlog_timelog *detour, const struct event *event);

/* Enters, hands the pending groups to the active timelogs, leaves. */
void ledger_hand_over(struct ledger *ledger);

static inline bool ledger_has_pending(const struct ledger *ledger)
{
	return ledger->pending.len != 0;
}

/* ---- owner, elsewhere; or anybody once the owner has ended ---- */

void ledger_lock(struct ledger *ledger);
void ledger_unlock(struct ledger *ledger);

/* Locked. Hands over all that is pending or was detoured. */
void ledger_settle(struct ledger *ledger);
void ledger_activate(struct ledger *ledger, struct stmlog_timelog *log);
void ledger_deactivate(struct ledger *ledger, struct stmlog_timelog *log);

/* Gives up all memory and references, the active timelogs excepted, which must be none. */
void ledger_fini(struct ledger *ledger);

/* ---- any thread ---- */

/* Makes the owner keep off. After 0 the ledger may be read until ledger_release(). Returns -ENOMEM; or
 * -EBUSY, for a signal handler on the owner's back (is_own) that has interrupted it half-way. */
int ledger_hold(struct ledger *ledger, bool is_own);
void ledger_release(struct ledger *ledger);

/* Between the two: whether the owner has recorded nothing since ledger_hold(). Then what was read of its
 * account before this call has no loss that the ledger lacks. */
static inline bool ledger_stands_still(const struct ledger *ledger)
{
	return AO_load_acquire(&ledger->detoured) == ledger->detoured_at_hold;
}

/* Between the two: adds to `into`, a foreign timelog, what `log` holds or is about to be handed. */
void ledger_read(const struct ledger *ledger, struct stmlog_timelog *log, struct stmlog_timelog *into);

#endif

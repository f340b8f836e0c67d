/* SPDX-License-Identifier: MIT
 *
 * The losses that one thread has recorded: its pending groups and its active timelogs.
 * Another thread can read them while the owner goes on. NOTES.txt, "Reading another
 * thread's timelogs", claims L1 to L5, has the argument.
 *
 * The owner changes its ledger only between ledger_enter() and ledger_leave(), that is,
 * inside. A reader sets `detour` to an empty timelog. When the owner is not inside any
 * more, only the detour can change, and the reader may read all else as private data.
 * Meanwhile the owner records into the detour. After the reader's release, the owner
 * merges the detour into its timelogs. The owner neither waits nor allocates.
 *
 * A loss changes the owner's account too. Before the first loss that goes into a detour,
 * the owner copies the account into the detour: the copy agrees with what the reader reads
 * in the ledger.
 *
 * The mutex `readers` excludes readers from each other and from the owner's own rare
 * operations on timelogs (create, clear, take, ...). No recording hook takes it.
 */
#ifndef STMLOG_LEDGER_H
#define STMLOG_LEDGER_H

#include <pthread.h>

#include <atomic_ops.h>

#include "account.h"
#include "check.h"
#include "locks.h"
#include "pending.h"
#include "timelog.h"

/* Where the owner records while a reader holds the ledger. */
struct detour {
	struct stmlog_timelog *log;
	struct detour *next;    /* in a list of its ledger; a detour is in at most one of them */
	volatile AO_t is_used;  /* a loss was recorded into it; from then on `account` does not change */
	struct account account; /* the owner's before that loss */
};

struct ledger {
	volatile AO_t is_inside;       /* the owner is between enter and leave */
	volatile AO_t detour;          /* struct detour *, to record into; 0: no reader holds the ledger */
	uint64_t direct;               /* number of the transaction whose first loss went into the timelog at once */
	struct stmlog_timelog *active; /* list of active timelogs */
	struct detour *unread;         /* former detours that are not merged into the active timelogs yet */
	struct detour *left;           /* detours that the owner may still use; under `readers` */
	struct detour *spent;          /* former detours that are merged; the next reader destroys them */
	struct tb_stack *stack;
	pthread_mutex_t readers;
	struct pending pending; /* last, since its pages are not touched before there is a loss */
};

void ledger_init(struct ledger *ledger, struct tb_stack *stack);

/* ---- owner, in recording hooks ---- */

/* Enters the ledger: the owner is inside. Returns the detour to record into; NULL: record into the ledger itself. */
static inline struct detour *ledger_enter(struct ledger *ledger)
{
	/* Store of is_inside, light fence, load of detour. Partner: ledger_hold(), which stores detour and loads
	 * is_inside, with the heavy fence in between. At least one of the two threads sees the other's store (claim
	 * L1). */
	AO_store(&ledger->is_inside, 1);
	fence_light();
	return (struct detour *)AO_load_acquire(&ledger->detour);
}

static inline void ledger_leave(struct ledger *ledger)
{
	/* Release; partner: the acquiring load of is_inside in ledger_hold(). */
	AO_store_release(&ledger->is_inside, 0);
}

/* Copies the owner's account into the detour, if the detour is not used yet. */
void ledger_copy_account(struct detour *detour, const struct account *account);

/* As ledger_enter(), to record a loss. Called before `account`, the owner's, changes. */
static inline struct detour *ledger_enter_loss(struct ledger *ledger, const struct account *account)
{
	struct detour *detour = ledger_enter(ledger);
	if (STMLOG_UNLIKELY(detour != NULL))
		ledger_copy_account(detour, account);
	return detour;
}

/* Returns the pending item to which this loss belongs, if it is the item of the last loss and no reader holds the
 * ledger; otherwise NULL. The caller may add the loss to the item by pending_add_to(), instead of calling
 * ledger_put(). */
static inline struct pending_item *ledger_again(
	struct ledger *ledger, const struct detour *detour, const struct stmlog_loss *loss, const struct tb_copy *copy)
{
	REQUIRES(AO_load(&ledger->is_inside) != 0);
	if (STMLOG_UNLIKELY(detour != NULL || ledger->unread != NULL))
		return NULL;
	return pending_again(&ledger->pending, loss, copy);
}

/* Records a loss, into the detour or, if that is NULL, into the ledger. Requires: the owner is inside, and `detour` was
 * returned by ledger_enter() or ledger_enter_loss(). */
void ledger_put(struct ledger *ledger, struct detour *detour, const struct measured_loss *measured);

/* Hands over the pending groups whose culprits' outcomes are known to the active timelogs. Enters and leaves the
 * ledger. */
void ledger_hand_over(struct ledger *ledger);

static inline bool ledger_has_pending(const struct ledger *ledger)
{
	return ledger->pending.len != 0;
}

/* ---- owner, outside of recording hooks; after the owner's end, any one thread ---- */

void ledger_lock(struct ledger *ledger);
void ledger_unlock(struct ledger *ledger);

/* Hands all pending groups, and all losses in detours, to the active timelogs. All three require ledger_lock(). */
void ledger_settle(struct ledger *ledger);
void ledger_activate(struct ledger *ledger, struct stmlog_timelog *log);
void ledger_deactivate(struct ledger *ledger, struct stmlog_timelog *log);

/* Frees all memory and releases all references. Requires: no timelog is active. */
void ledger_fini(struct ledger *ledger);

/* ---- any thread ---- */

/* Makes the owner record into a detour. After success the caller may read the ledger until ledger_release(). Returns 0
 * or -ENOMEM; -EPERM if the kernel refuses its barrier (fence_heavy()); -ETIMEDOUT if the owner is inside for a second.
 * With `is_own` the caller is the owner itself, perhaps in a signal handler that has interrupted it inside: then
 * -EBUSY. */
int ledger_hold(struct ledger *ledger, bool is_own);
void ledger_release(struct ledger *ledger);

/* Returns NULL if the owner has recorded no loss since ledger_hold(): then an account that the caller has read since
 * ledger_hold() has the losses that are in the ledger, and no others. Otherwise returns a copy of the account that has
 * just these losses. The copy does not change before ledger_release(). Requires: the caller holds the ledger. */
static inline const struct account *ledger_account_before_detour(const struct ledger *ledger)
{
	const struct detour *detour = (const struct detour *)AO_load(&ledger->detour);
	REQUIRES(detour != NULL);
	/* Acquire; partner: ledger_copy_account(). */
	return AO_load_acquire(&detour->is_used) != 0 ? &detour->account : NULL;
}

/* Adds all groups of `log`, pending ones included, to `into`, a timelog of another stack. Requires: the caller holds
 * the ledger. */
void ledger_read(const struct ledger *ledger, struct stmlog_timelog *log, struct stmlog_timelog *into);

#endif

/* SPDX-License-Identifier: MIT
 *
 * How pauses, waits and blocked transactions are accounted for.
 */
#ifndef STMLOG_WAITS_H
#define STMLOG_WAITS_H

#include "thread.h"

/* Returns the account's state for a pause or wait with this loss; OUTSIDE_STATE: none has its cause, or it lacks its
 * size. */
enum account_slot wait_state(const struct stmlog_loss *loss);

/* A wait for a free segment makes no entry, and neither does the runtime's own work. */
static inline bool wait_makes_entry(enum account_slot state)
{
	return state == PAUSED_STATE || state == WAITING_INEVITABLE_STATE;
}

/* Ends the wait under way, if it interrupts an attempt, and returns true: the attempt may end. Returns false in any
 * other state, and changes nothing. Cold: mostly the runtime ends its waits itself. Requires: within a hook. */
__attribute__((cold)) bool wait_end_for_attempt(struct stmlog_thread *thread);

/* Records a pause or wait of `ns` that has just ended. Requires: within a hook. */
void wait_is_over(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t ns, enum account_slot state);

/* Blocked transactions: after a retry, they wait until something changes that they have read. The blocked time goes to
 * the account, to the row of the site where the transaction begins and, while a timeline runs, to the timeline. It is
 * not a loss. Requires: within a hook; that the attempt has aborted, or that the transaction is blocked. */
void blocked_time_begin(struct stmlog_thread *thread);
void blocked_time_end(struct stmlog_thread *thread);

#endif

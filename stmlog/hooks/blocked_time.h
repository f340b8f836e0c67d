/* SPDX-License-Identifier: MIT
 *
 * Blocked transactions: after a retry, they wait until something changes that they have read. The blocked time goes to
 * the account, to the row of the site where the transaction begins and, while a timeline runs, to the timeline. It is
 * not a loss.
 */
#ifndef STMLOG_BLOCKED_TIME_H
#define STMLOG_BLOCKED_TIME_H

#include "thread.h"

/* Requires: within a hook; that the attempt has aborted, or that the transaction is blocked. */
void blocked_time_begin(struct stmlog_thread *thread);
void blocked_time_end(struct stmlog_thread *thread);

#endif

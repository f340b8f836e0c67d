/* SPDX-License-Identifier: MIT
 * Causes by the numbers in a recording. */
#ifndef CAUSE_H
#define CAUSE_H

#include <stdbool.h>

#include <stmlog/format.h>
#include <stmlog/read.h>

/* Whether the account counts the time of such losses as aborted. */
static inline bool cause_is_abort(uint32_t reason)
{
	return reason == STMLOG_SELF_ABORT || reason == STMLOG_ABORTED_BY_OTHER || reason == STMLOG_USER_ABORT;
}

/* The row of the account that has losses with the reason. A reason that this version does not know may belong to any
 * row: STMLOG_ACCOUNT_ROWS. */
static inline enum stmlog_account_row cause_account_row(uint32_t reason)
{
	return cause_is_abort(reason)   ? STMLOG_ACCOUNT_ABORTED
	       : reason == STMLOG_PAUSE ? STMLOG_ACCOUNT_PAUSED
	       : reason == STMLOG_WAIT  ? STMLOG_ACCOUNT_WAITING
					: STMLOG_ACCOUNT_ROWS;
}

#endif

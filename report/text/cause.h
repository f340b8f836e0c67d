/* SPDX-License-Identifier: MIT
 * Causes by the numbers in a recording. */
#ifndef CAUSE_H
#define CAUSE_H

#include <stdbool.h>

#include <stmlog/read.h>

/* Whether the account counts the time of such losses as aborted. */
static inline bool cause_is_abort(uint32_t reason)
{
	return reason == STMLOG_SELF_ABORT || reason == STMLOG_ABORTED_BY_OTHER || reason == STMLOG_USER_ABORT;
}

#endif

/* SPDX-License-Identifier: MIT
 * A loss to report. */
#ifndef LOSS_AND_ACCOUNT_H
#define LOSS_AND_ACCOUNT_H

#include "session_fixture.h"
#include "test.h"

static inline struct stmlog_loss self_abort(enum stmlog_contention_kind contention)
{
	return stmlog_loss_make(STMLOG_SELF_ABORT, contention, NULL);
}

#endif

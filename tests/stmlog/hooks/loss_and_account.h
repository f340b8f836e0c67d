/* SPDX-License-Identifier: MIT
 * A loss to report, and the account that must have its time. */
#ifndef LOSS_AND_ACCOUNT_H
#define LOSS_AND_ACCOUNT_H

#include "session_fixture.h"
#include "test.h"

static inline struct stmlog_loss self_abort(enum stmlog_contention_kind contention)
{
	return stmlog_loss_make(STMLOG_SELF_ABORT, contention, NULL);
}

static inline struct stmlog_account account_of(const struct stmlog_thread *thread)
{
	struct stmlog_account account;
	stmlog_account_read(thread, &account);
	assert_no_residual(thread);
	return account;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * The slots of an account, and how its owner adds to the words of an account. Any thread may read them (account.h).
 */
#ifndef STMLOG_SLOTS_H
#define STMLOG_SLOTS_H

#include <atomic_ops.h>

#include <stmlog/agent.h>

#include "saturate.h"

/* Up to IDLE_STATE these are states; COMMITTED_SLOT and the following are only slots for times. */
enum account_slot {
	OUTSIDE_STATE,
	ABORTED_STATE, /* outside of attempts, after an abort: a retry may follow */
	ATTEMPT_STATE,
	PAUSED_STATE,
	WAITING_INEVITABLE_STATE,
	WAITING_NONE_STATE,
	OTHER_STATE,
	BLOCKED_STATE,
	BUSY_STATE,
	IDLE_STATE, /* of a lane that nobody has claimed: `held` has its state, in which no time passes */
	COMMITTED_SLOT,
	DESCHEDULED_SLOT,
	ABORTED_SLOT, /* the first of STMLOG_CONTENTIONS slots */
	ACCOUNT_SLOTS = ABORTED_SLOT + STMLOG_CONTENTIONS
};

/* Release; partner: the acquiring loads of account_read(). */
static inline void account_add(volatile AO_t *field, AO_t more)
{
	AO_store_release(field, AO_load(field) + more);
}

/* The same for numbers that the runtime passes, which may be of any size. */
static inline void account_add_saturated(volatile AO_t *field, AO_t more)
{
	AO_store_release(field, saturated_sum(AO_load(field), more));
}

/* A word that holds the bits of a double, so that it is loaded and stored whole. */
static inline double account_double(const volatile AO_t *field)
{
	union {
		AO_t bits;
		double number;
	} word = {.bits = AO_load_acquire(field)};
	return word.number;
}

static inline void account_add_double(volatile AO_t *field, double more)
{
	union {
		double number;
		AO_t bits;
	} word = {.number = account_double(field) + more};
	AO_store_release(field, word.bits);
}

#endif

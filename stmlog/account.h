/* SPDX-License-Identifier: MIT
 *
 * Where the time of one thread went. The owner moves from state to state and
 * books the time of each when it leaves it; any thread may read.
 *
 * Invariant, whenever seq is even:
 *   since_ns - attached_at_ns == sum of ns[]
 * where ns[ATTEMPT_STATE] is the running attempt so far, 0 outside of attempts.
 *
 * Reading (a sequence lock): the owner makes seq odd, stores with release order, and
 * makes it even; a reader loads with acquire order between two loads of the same even
 * seq. The owner never waits; a reader tries again. Stores are never read-modify-write
 * instructions: only the owner writes.
 */
#ifndef STMLOG_ACCOUNT_H
#define STMLOG_ACCOUNT_H

#include <atomic_ops.h>

#include <stmlog/stmlog.h>

/* The first ones are states, whose time goes where they say; the last ones are only booked to. */
enum account_slot {
	OUTSIDE_STATE,
	ATTEMPT_STATE,
	PAUSED_STATE,
	WAITING_INEVITABLE_STATE,
	WAITING_NONE_STATE,
	OTHER_STATE,
	COMMITTED_SLOT,
	ABORTED_SLOT, /* and the further contentions after it */
	ACCOUNT_SLOTS = ABORTED_SLOT + STMLOG_CONTENTIONS
};

struct account {
	volatile AO_t seq;
	volatile AO_t state;
	volatile AO_t since_ns;
	volatile AO_t attached_at_ns;
	volatile AO_t events;
	volatile AO_t ns[ACCOUNT_SLOTS];
	volatile AO_t count[ACCOUNT_SLOTS];
	volatile AO_t unmeasured_commits;
	volatile AO_t unmeasured_aborts;
	AO_t resume_state; /* owner's own: what a pause or wait goes back to */
};

void account_open(struct account *account, uint64_t now_ns);

/* The owner's: the current state, read without further ado. */
static inline enum account_slot account_state(const struct account *account)
{
	return (enum account_slot)AO_load(&account->state);
}

/* Books the time since the last call and goes on in `next`. */
void account_move(struct account *account, uint64_t now_ns, enum account_slot next);

/* Goes on in ATTEMPT_STATE from the last reading; no time passes. */
void account_retry(struct account *account);

/* Ends the attempt: its time goes to `slot`. Returns the attempt's time. */
uint64_t account_settle(struct account *account, uint64_t now_ns, enum account_slot slot);

/* Interrupts the current state by a pause or wait, and ends it again: counts it and returns its time. */
void account_interrupt(struct account *account, uint64_t now_ns, enum account_slot state);
uint64_t account_resume(struct account *account, uint64_t now_ns);

void account_add_unmeasured(struct account *account, uint64_t commits, uint64_t aborts);

/* Any thread. The state under way is counted up to now; the figures belong to one instant.
 * Returns false when the owner was writing at every try: it stopped in the middle, since the
 * caller is a signal handler on its back. */
bool account_read(const struct account *account, struct stmlog_account *figures);

#endif

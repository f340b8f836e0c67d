/* SPDX-License-Identifier: MIT
 * Lets another thread find out how an attempt ended. NOTES.txt, claims V1 and V2, has the argument. */
#include "attempts.h"

#include "check.h"

/* How many aborts a reader reads: half of the ring. Meanwhile the owner may write the other half. */
#define LOOKED_AT (ATTEMPTS_REMEMBERED / 2)

/* Looks for the attempt among the newest aborts, which are in the order of their attempts. UNKNOWN: the attempt is
 * older than these aborts. */
static enum outcome find_abort(const struct attempts *attempts, uint64_t attempt, AO_t aborts)
{
	AO_t oldest = aborts > LOOKED_AT ? aborts - LOOKED_AT : 0;
	for (AO_t i = aborts; i > oldest; i--) {
		/* Acquire; partner: attempts_abort(). It also keeps the loads in this order. */
		AO_t aborted = AO_load_acquire(&attempts->aborted[(i - 1) % ATTEMPTS_REMEMBERED]);
		if (aborted <= attempt)
			return aborted == attempt ? OUTCOME_ABORTED : OUTCOME_COMMITTED;
	}
	return oldest == 0 ? OUTCOME_COMMITTED : OUTCOME_UNKNOWN;
}

enum outcome attempts_outcome(const struct attempts *attempts, uint64_t attempt)
{
	REQUIRES(attempt <= AO_load_acquire(&attempts->word) >> 1);
	/* Acquire; partner: attempts_end(). If the attempt is over, its abort is visible, too (claim V1). */
	AO_t word = AO_load_acquire(&attempts->word);
	if (word == (attempt << 1 | 1))
		return OUTCOME_OPEN;
	AO_t aborts = AO_load_acquire(&attempts->aborts);
	enum outcome outcome = find_abort(attempts, attempt, aborts);
	/* The entries were not overwritten if fewer than LOOKED_AT further aborts have come (claim V2). */
	return AO_load(&attempts->aborts) - aborts < LOOKED_AT ? outcome : OUTCOME_UNKNOWN;
}

/* ---- by the number of the thread ---- */

/* Invariant: thread != 0  =>  `attempts` are that thread's. */
static struct published {
	volatile AO_t thread;
	volatile AO_t attempts;
} published[ATTEMPTS_THREADS];

void attempts_publish(const struct attempts *attempts, uint32_t thread)
{
	struct published *at = &published[thread % ATTEMPTS_THREADS];
	AO_store(&at->thread, 0);
	/* Both are releases: the thread before is void before its attempts are, and the new ones are there before their
	 * thread. Partner: attempts_of(). */
	AO_store_release(&at->attempts, (AO_t)attempts);
	AO_store_release(&at->thread, thread);
}

const struct attempts *attempts_of(uint32_t thread)
{
	const struct published *at = &published[thread % ATTEMPTS_THREADS];
	if (thread == 0 || AO_load_acquire(&at->thread) != thread)
		return NULL;
	/* Acquire; partner: attempts_publish(). If these are of a later thread, the number is not the same any more. */
	const struct attempts *attempts = (const struct attempts *)AO_load_acquire(&at->attempts);
	return AO_load(&at->thread) == thread ? attempts : NULL;
}

void attempts_unpublish_all(void)
{
	for (size_t i = 0; i < ATTEMPTS_THREADS; i++)
		AO_store(&published[i].thread, 0);
}

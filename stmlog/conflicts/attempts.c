/* SPDX-License-Identifier: MIT
 * See attempts.h and the claims V1 and V2 in NOTES.txt. */
#include "attempts.h"

/* What a reader looks at: half of the ring, so that the owner has the other half to go on writing. */
#define LOOKED_AT (ATTEMPTS_REMEMBERED / 2)

void attempts_abort(struct attempts *attempts)
{
	AO_t aborts = AO_load(&attempts->aborts);
	/* Both releases; partner: find_abort(). The entry is there before it counts. */
	AO_store_release(&attempts->aborted[aborts % ATTEMPTS_REMEMBERED], attempts_current(attempts));
	AO_store_release(&attempts->aborts, aborts + 1);
	attempts_end(attempts);
}

uint64_t attempts_under_way(const struct attempts *attempts)
{
	AO_t word = AO_load_acquire(&attempts->word);
	return (word & 1) != 0 ? word >> 1 : 0;
}

/* Among the newest aborts; they are in the order of their attempts. UNKNOWN: it may be an older one. */
static enum outcome find_abort(const struct attempts *attempts, uint64_t attempt, AO_t aborts)
{
	AO_t oldest = aborts > LOOKED_AT ? aborts - LOOKED_AT : 0;
	for (AO_t i = aborts; i > oldest; i--) {
		/* Acquire; partner: attempts_abort(). Keeps the loads in this order too. */
		AO_t aborted = AO_load_acquire(&attempts->aborted[(i - 1) % ATTEMPTS_REMEMBERED]);
		if (aborted <= attempt)
			return aborted == attempt ? OUTCOME_ABORTED : OUTCOME_COMMITTED;
	}
	return oldest == 0 ? OUTCOME_COMMITTED : OUTCOME_UNKNOWN;
}

enum outcome attempts_outcome(const struct attempts *attempts, uint64_t attempt)
{
	/* Acquire; partner: attempts_end(): what is over is seen with its end (claim V1). */
	AO_t word = AO_load_acquire(&attempts->word);
	if (word == (attempt << 1 | 1))
		return OUTCOME_OPEN;
	AO_t aborts = AO_load_acquire(&attempts->aborts);
	enum outcome outcome = find_abort(attempts, attempt, aborts);
	/* What was looked at is not written over before that many more have come (claim V2). */
	return AO_load(&attempts->aborts) - aborts < LOOKED_AT ? outcome : OUTCOME_UNKNOWN;
}

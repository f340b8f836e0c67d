/* SPDX-License-Identifier: MIT
 * Makes one transaction of a stream on libitm. */
#ifndef ITM_REPLAY_PERFORM_H
#define ITM_REPLAY_PERFORM_H

#include "steps.h"

/* The largest access. */
enum { PERFORM_BYTES_MAX = UINT16_MAX };

/* The state of one thread of the replay. */
struct performer {
	uint64_t commits;
	uint64_t attempts;       /* not those in hardware that the processor aborts: it takes the count back, too */
	const struct step *next; /* the step after the transaction that has ended */
	const atomic_bool *is_over;
	char buffer[PERFORM_BYTES_MAX]; /* the other side of copies */
};

/* Makes the transaction that begins with this step, and sets `next`. Does not wait before it. Requires
 * barriers_init(). */
void perform_transaction(struct performer *performer, const struct step *begin);

/* Makes a transaction without accesses, by which libitm gets to know the thread. */
void perform_nothing(void);

#endif

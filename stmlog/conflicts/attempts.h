/* SPDX-License-Identifier: MIT
 *
 * Which attempt a thread is in, and how its last ones have ended: what other threads
 * need to know to name an attempt, and to say later whether it came to anything.
 *
 * Written by the owner alone, read by any thread. Numbers rise as long as the record
 * of the thread exists, from one thread that uses it to the next, so that a handle
 * that is out of date never stands for a later attempt. NOTES.txt, claims V1 and V2.
 *
 * Only aborts are noted: a commit costs one store. The memory of aborts is a ring; what
 * has left it is UNKNOWN.
 */
#ifndef STMLOG_ATTEMPTS_H
#define STMLOG_ATTEMPTS_H

#include <stdbool.h>
#include <stdint.h>

#include <atomic_ops.h>

/* A reader looks at the newer half only: the other half is what the owner may write meanwhile. */
#define ATTEMPTS_REMEMBERED 64

/* Invariants: word == 2 * number of the attempt + whether it is under way;
 *             aborted[i % ATTEMPTS_REMEMBERED] is the i-th abort's attempt, for the last of the `aborts`. */
struct attempts {
	volatile AO_t word;
	volatile AO_t aborts;
	volatile AO_t aborted[ATTEMPTS_REMEMBERED];
};

enum outcome { OUTCOME_OPEN, OUTCOME_COMMITTED, OUTCOME_ABORTED, OUTCOME_UNKNOWN };

/* ---- owner ---- */

static inline uint64_t attempts_current(const struct attempts *attempts)
{
	return AO_load(&attempts->word) >> 1;
}

static inline void attempts_begin(struct attempts *attempts)
{
	AO_store_release(&attempts->word, (attempts_current(attempts) + 1) << 1 | 1);
}

/* Release: an abort is noted before its attempt is seen to be over. Partner: attempts_outcome(). */
static inline void attempts_end(struct attempts *attempts)
{
	AO_store_release(&attempts->word, AO_load(&attempts->word) & ~(AO_t)1);
}

void attempts_abort(struct attempts *attempts);

/* ---- any thread ---- */

/* The attempt that is under way, 0 if none is. */
uint64_t attempts_under_way(const struct attempts *attempts);

enum outcome attempts_outcome(const struct attempts *attempts, uint64_t attempt);

#endif

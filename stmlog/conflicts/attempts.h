/* SPDX-License-Identifier: MIT
 *
 * The number of a thread's attempt, and how its last attempts ended. With these another
 * thread can name the attempt that it conflicts with, and find out later whether that
 * attempt committed.
 *
 * Written by the owner alone, read by any thread. Numbers rise as long as the thread's record exists, even when another
 * thread uses the record afterwards: so an old handle never stands for a later attempt. NOTES.txt, claims V1 and V2.
 *
 * Only aborts are recorded, in a ring: so a commit costs one store. The outcome of an
 * attempt that is older than the ring is UNKNOWN.
 */
#ifndef STMLOG_ATTEMPTS_H
#define STMLOG_ATTEMPTS_H

#include <stdint.h>

#include <atomic_ops.h>

/* A reader uses the newer half only: the owner may write the other half meanwhile. */
#define ATTEMPTS_REMEMBERED 64

/* Invariants: word == 2 * number of the attempt + whether it is under way;
 *             aborted[i % ATTEMPTS_REMEMBERED] is the attempt of abort number i (from 0), for the last
 *             ATTEMPTS_REMEMBERED of the `aborts` aborts. */
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
	AO_store_release(&attempts->word, (AO_load(&attempts->word) | 1) + 2);
}

/* Release: the record of an abort is visible before the end of its attempt. Partner: attempts_outcome(). */
static inline void attempts_end(struct attempts *attempts)
{
	AO_store_release(&attempts->word, AO_load(&attempts->word) & ~(AO_t)1);
}

/* Records an abort, and ends the attempt. */
static inline void attempts_abort(struct attempts *attempts)
{
	AO_t aborts = AO_load(&attempts->aborts);
	/* Both are releases: the entry is stored before it counts. Partner: find_abort(). */
	AO_store_release(&attempts->aborted[aborts % ATTEMPTS_REMEMBERED], attempts_current(attempts));
	AO_store_release(&attempts->aborts, aborts + 1);
	attempts_end(attempts);
}

/* ---- any thread ---- */

/* How an attempt of this record ended; OPEN: it is under way. Requires that the attempt has begun. */
enum outcome attempts_outcome(const struct attempts *attempts, uint64_t attempt);

/* ---- by the number of the thread ---- */

/* An attempt that made another attempt abort; attempts NULL: not known. `attempts` lies in the record of the culprit's
 * thread, which exists as long as any thread is attached. */
struct culprit {
	const struct attempts *attempts;
	uint64_t attempt;
};

/* The newest so many threads are found. */
#define ATTEMPTS_THREADS 1024

/* From now on attempts_of() finds the attempts of the thread with this number. Called under the
 * registry's lock. */
void attempts_publish(const struct attempts *attempts, uint32_t thread);

/* Returns the attempts of the thread; NULL: not known. Called by attached threads: so the record exists. */
const struct attempts *attempts_of(uint32_t thread);

/* Called before the records of threads are freed, while no thread is attached. */
void attempts_unpublish_all(void);

#endif

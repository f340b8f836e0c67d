/* SPDX-License-Identifier: MIT
 *
 * How many transactions were not measured: each thread counts its own, in its ring, and the library reads the counts
 * when it needs them. So they are complete even of threads that wait for work when the process ends.
 *
 * Commits and cancels are counted one by one. Restarts of such transactions do not return to the agent: their number is
 * the growth of libitm's own counters, outside of measured transactions. The owner adds it up when it looks at the
 * clock anyway; a reader adds what has come since.
 */
#ifndef ITM_COUNTS_H
#define ITM_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include <stmlog/agent.h>

#include "agent.h"
#include "libitm_layout.h"
#include "ring.h"

/* ---- owner ---- */

/* The calling thread's restarts so far, by libitm's counters. 0 if they cannot be read. */
uint64_t itm_restarts(void);

static inline void itm_counts_add(volatile AO_t *count)
{
	AO_store(count, AO_load(count) + 1);
}

/* Commits and cancels since itm_counts_begin(). */
static inline uint64_t itm_counts_over(const struct itm_counts *counts)
{
	return AO_load(&counts->commits) - AO_load(&counts->commits_before) + AO_load(&counts->cancels) -
	       AO_load(&counts->cancels_before);
}

/* A thread takes the ring, or is the only thread of a forked child: its counts start from 0. `restarts`: libitm's
 * counters up to now (itm_restarts()). `slot`: where the thread keeps its pointer to libitm's struct; NULL: it may end
 * without the agent's notice. */
void itm_counts_begin(struct itm_counts *counts, uint64_t restarts, const char *const volatile *slot);

/* Adds up the restarts since the last call of one of these functions. */
void itm_counts_note(struct itm_counts *counts, uint64_t restarts);

/* The number of restarts that itm_counts_note() would add. */
uint64_t itm_counts_new(const struct itm_counts *counts, uint64_t restarts);

/* A measured transaction begins, or the thread ends: from here on restarts do not count. Nor do those that have come
 * since itm_counts_note() was called last. */
void itm_counts_pause(struct itm_counts *counts);

/* The measured transaction is over: from here on restarts count again. */
void itm_counts_resume(struct itm_counts *counts, uint64_t restarts);

/* Under htm: whether the calling thread's transaction, which is about to commit, runs without the hardware, with
 * libitm's serial lock. Of a transaction in hardware libitm itself reads the lock, and the processor aborts it as soon
 * as another thread takes the lock: so this look aborts none, and finds the lock free. False if the lock's place is not
 * known. */
static inline bool itm_counts_runs_alone(void)
{
	return STMLOG_UNLIKELY(itm_agent.method == ITM_METHOD_HARDWARE) && itm_locks.serial != NULL &&
	       *itm_locks.serial != 0;
}

/* ---- any thread ---- */

/* Reads the counts of the thread that owns `ring`. A stmlog_unmeasured_reader. */
bool itm_counts_read(void *ring, struct stmlog_unmeasured_counts *found);

/* Writes into the recording, under htm and if the place of libitm's serial lock is known, how many transactions have
 * committed in hardware, and how many without. */
void itm_hardware_set_facts(void);

/* In a forked child: these numbers are 0 again. */
void itm_hardware_forget(void);

#endif

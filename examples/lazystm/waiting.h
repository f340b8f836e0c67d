/* SPDX-License-Identifier: MIT
 * Threads that wait until a word changes that their attempt has read. Commits that write wake all of them, which is
 * simple; a large program would keep a list for each lock. */
#ifndef LAZYSTM_WAITING_H
#define LAZYSTM_WAITING_H

#include "attempt.h"

/* How many threads wait. A thread that waits adds itself, and then looks at the locks of what it has read. A commit
 * takes its locks, and then loads this number. There is a full barrier between the two on both sides: so the thread
 * finds a lock taken, or the commit finds the thread. */
extern volatile AO_t waiting_threads __attribute__((visibility("hidden")));

/* Returns when something may have changed that the attempt has read. The attempt has ended. */
void waiting_for_change(struct stm_thread *thread);

/* Private: the slow path of waiting_wake(). */
void waiting_wake_on(void);

/* A commit has written, and released its locks. */
static inline void waiting_wake(void)
{
	if (AO_load(&waiting_threads) != 0)
		waiting_wake_on();
}

#endif

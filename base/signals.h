/* SPDX-License-Identifier: MIT
 *
 * Keeps signal handlers away from the calling thread for a moment: for rare paths that take a lock, or leave data
 * half-way, and that a handler on the same thread may want to take, too. Two system calls.
 */
#ifndef BASE_SIGNALS_H
#define BASE_SIGNALS_H

#include <signal.h>

/* Blocks all signals of the calling thread. Returns those that were blocked before. Keeps errno. */
static inline sigset_t signals_block(void)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	return before;
}

static inline void signals_restore(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * Blocks all signals of the calling thread for a moment: for rare paths in the middle of which data are inconsistent
 * that a handler on the same thread may use, and for a new thread that is to run none of the program's handlers, since
 * it begins with the mask of the thread that creates it. Two system calls.
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

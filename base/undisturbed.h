/* SPDX-License-Identifier: MIT
 * Keeps signals and cancellation of the calling thread away from a piece of the library's work, in somebody else's
 * process. */
#ifndef STMLOG_UNDISTURBED_H
#define STMLOG_UNDISTURBED_H

#include <signal.h>

/* ---- reading and writing files ----
 *
 * No cancellation ends the thread in the middle, and a closed pipe or a limit of file sizes does not kill the process
 * by a signal, but is an error of write(2). */

struct undisturbed {
	int cancellation;
	sigset_t mask;    /* of the thread, before undisturbed_begin() */
	sigset_t pending; /* signals that were pending already */
};

/* Disables cancellation, and blocks SIGPIPE and SIGXFSZ, for the calling thread. Nests. */
void undisturbed_begin(struct undisturbed *was);

/* Discards signals of these two kinds that were raised meanwhile, and restores the cancellation and the mask. Keeps
 * errno. */
void undisturbed_end(const struct undisturbed *was);

/* Calls function(arg) between undisturbed_begin() and undisturbed_end(), in the calling thread, on a stack of 256 KB of
 * the library's own: the program's thread may have little stack left, as on a signal stack, or may have had little from
 * its beginning (PTHREAD_STACK_MIN). The function must return. Keeps errno as the function leaves it. */
void undisturbed_run(void (*function)(void *arg), void *arg);

/* ---- all signals, for a moment ----
 *
 * For rare paths in the middle of which data are inconsistent that a handler on the same thread may use, and for a new
 * thread that is to run none of the program's handlers, since it begins with the mask of the thread that creates it. */

/* Blocks all signals of the calling thread. Returns those that were blocked before. Keeps errno. One system call, as
 * signals_restore(). */
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

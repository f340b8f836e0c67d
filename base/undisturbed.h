/* SPDX-License-Identifier: MIT
 * Lets the library read and write files in somebody else's process: no cancellation ends the thread in the middle, and
 * a closed pipe or a limit of file sizes does not kill the process by a signal, but is an error of write(2). */
#ifndef STMLOG_UNDISTURBED_H
#define STMLOG_UNDISTURBED_H

#include <signal.h>

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

#endif

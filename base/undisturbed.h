/* SPDX-License-Identifier: MIT
 * Files are read and written undisturbed in somebody else's process: no cancellation ends the thread in the middle, and
 * a closed pipe or a limit of file sizes does not kill the process by a signal, but is an error of write(2). */
#ifndef STMLOG_UNDISTURBED_H
#define STMLOG_UNDISTURBED_H

#include <signal.h>

struct undisturbed {
	int cancellation;
	sigset_t mask;    /* of the thread, before */
	sigset_t pending; /* signals that waited already */
};

/* Disables cancellation, and blocks SIGPIPE and SIGXFSZ, for the calling thread. Nests. */
void undisturbed_begin(struct undisturbed *was);

/* Takes away what has been raised meanwhile, and restores all. Keeps errno. */
void undisturbed_end(const struct undisturbed *was);

/* Calls function(arg) between the two, on a stack of our own (own_stack.h). Keeps errno as the function leaves it. */
void undisturbed_run(void (*function)(void *arg), void *arg);

#endif

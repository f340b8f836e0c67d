/* SPDX-License-Identifier: MIT
 *
 * The watcher: a thread of the library that makes the outputs while the program runs. It does so every few seconds
 * (option `snapshot`), on a signal (option `signal`), and when a signal is about to end the process (kill=flush,
 * death.h). The thread exists only if one of these options is given, from the first attach on.
 *
 * Like any thread it keeps the process alive: so when the program's last thread ends by pthread_exit(), the watcher
 * ends the process, as the C library would have done, a quarter of a second later at most.
 *
 * The signal handlers only post a semaphore. The watcher's thread does all the work, where it may take locks and
 * memory; and since it is there, also the work at the end of the process.
 */
#ifndef STMLOG_WATCHER_H
#define STMLOG_WATCHER_H

#include <stdbool.h>

#include "outputs.h"

void watcher_read_options(void);

/* Called when a thread attaches: starts the watcher, if an option asks for it and it does not run yet. Any thread. */
void watcher_start(void);

/* The process is about to filter its system calls: starts the watcher in any case, and catches no signals that end the
 * process. watcher_start() does nothing from then on. Requires session.is_filtered. */
void watcher_before_filter(void);

/* Stops the watcher, so that no thread of the library is left. Returns whether it ran: then watcher_start() is to
 * follow. No signal handler. */
bool watcher_pause(void);

/* Whether there is a watcher that can make outputs for the caller. */
bool watcher_runs(void);

/* Has the watcher make outputs, and waits for them. So they need no stack of the caller's, and no system calls that a
 * filter may forbid to it. Returns false, and there will be no outputs, if the watcher gets no further (patience.h):
 * then the caller is a signal handler, and the watcher waits for a lock of the code that it has interrupted. Requires
 * watcher_runs(), and that the outputs are not barred. */
bool watcher_make(enum outputs_occasion occasion);

/* Ends the watcher's thread, waits for its end, and restores the signals' default actions. Any thread that closes the
 * session, the watcher's own included. */
void watcher_stop(void);

/* In a forked child, which has no watcher: restores the signals' default actions. */
void watcher_forget(void);

#endif

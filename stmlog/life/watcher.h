/* SPDX-License-Identifier: MIT
 *
 * The watcher: a thread of the library that makes the outputs while the program runs. It does so every few seconds
 * (option `snapshot`), on a signal (option `signal`), and when a signal is about to end the process (kill=flush,
 * death.h). The thread exists only if one of these options is given, from the first attach on.
 *
 * Like any thread it keeps the process alive: so when the program's last thread ends by pthread_exit(), the watcher
 * ends the process, as the C library would have done, a quarter of a second later at most.
 *
 * The signal handler only posts a semaphore. The watcher's thread does all the work,
 * where it may take locks and memory.
 */
#ifndef STMLOG_WATCHER_H
#define STMLOG_WATCHER_H

void watcher_read_options(void);

/* Called when a thread attaches: starts the watcher, if an option asks for it and it does not run yet. Any thread. */
void watcher_start(void);

/* Ends the watcher's thread, waits for its end, and restores the signals' default actions. Any thread that closes the
 * session, the watcher's own included. */
void watcher_stop(void);

/* In a forked child, which has no watcher: restores the signals' default actions. */
void watcher_forget(void);

#endif

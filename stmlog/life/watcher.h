/* SPDX-License-Identifier: MIT
 *
 * A thread of our own that makes the outputs while the program runs: every few
 * seconds (`snapshot`), when asked by a signal (`signal`), and when a signal is about
 * to kill the process (`kill=flush`, which `stmlog record` asks for, so that ending a
 * server with ^C does not lose what it did). It exists only where one of these was
 * chosen and a thread is attached.
 *
 * The signal handler does nothing but post a semaphore: all work is done here, in
 * ordinary context, while the interrupted thread goes on.
 */
#ifndef STMLOG_WATCHER_H
#define STMLOG_WATCHER_H

void watcher_read_options(void);

/* When a thread attaches: starts the watcher if it is wanted and not there. Any thread. */
void watcher_start(void);

/* Ends it and waits for that; handlers go back to what they were. */
void watcher_stop(void);

/* In a forked child: it is not there any more. */
void watcher_forget(void);

#endif

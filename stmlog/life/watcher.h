/* SPDX-License-Identifier: MIT
 *
 * The watcher: a process that shares the program's memory, and nothing else, and makes the outputs: every few seconds
 * (option `snapshot`), on a signal (option `signal`), at the end of the program, and when the program has died
 * (kill=flush). It exists only if one of these options is given, from the first attach on.
 *
 * However the program ends, its memory stays as long as the watcher lives, with all that was recorded. Data that a
 * thread was changing in that moment may be changed in part. Only the kernel's killer for want of memory ends both,
 * since it kills all processes that share the memory: the last snapshot is left.
 *
 * The watcher has descriptors, signals, limits, rights, a directory and a root of its own: those that the program had
 * when the watcher began. So it can write what the program may not write any more, and no close() of one of the two
 * closes a file of the other.
 *
 * Under a checker (base/checker.h) there is no watcher.
 */
#ifndef STMLOG_WATCHER_H
#define STMLOG_WATCHER_H

#include <stdbool.h>

#include "outputs.h"

void watcher_read_options(void);

/* Called when a thread attaches: starts the watcher, if an option asks for it and it does not run yet. Any thread. */
void watcher_start(void);

/* Called when the process is about to filter its system calls: starts the watcher even if no option asks for it.
 * watcher_start() does nothing from then on. Requires session_is_filtered. */
void watcher_before_filter(void);

/* Whether there is a watcher that can make outputs for the caller. A watcher that somebody has killed is forgotten.
 * Makes one system call. */
bool watcher_runs(void);

/* Lets the watcher make outputs, and waits for them. So they need none of the caller's stack, and no system calls that
 * a filter may forbid to the caller. Returns false, and there will be no outputs, if the watcher makes no progress
 * (idle_time_is_over()): then the caller is a signal handler, and the watcher waits for a lock of the code that it has
 * interrupted. Requires that watcher_runs() has just returned true; the caller has seen that outputs are not barred. */
bool watcher_make(enum outputs_occasion occasion);

/* Called when the process is about to leave its memory by exec() or _exit(). Returns whether the watcher will make the
 * outputs then; if so, it checks more often for a while. */
bool watcher_before_leaving(void);

/* Ends the watcher, and waits for its end. Called by the thread that closes the session. */
void watcher_stop(void);

/* Called in a forked child, which has no watcher. */
void watcher_forget(void);

#endif

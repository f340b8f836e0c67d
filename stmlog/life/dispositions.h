/* SPDX-License-Identifier: MIT
 *
 * The signal handlers of the library. Each replaces the default action of a signal; a handler of the program's, or the
 * program's wish to ignore the signal, is left alone.
 *
 * The program is to see the default action where a handler of the library's is set. A runtime that interposes
 * sigaction() takes care of that (stmlog_sigaction()). The library itself then calls the system's function.
 */
#ifndef STMLOG_DISPOSITIONS_H
#define STMLOG_DISPOSITIONS_H

#include <signal.h>

#include <stmlog/runtime.h>

/* The function that the library calls. NULL: sigaction() itself. Not while handlers are set. */
void dispositions_use(stmlog_sigaction_function real);

/* Unless another handler was set: sets this one if the signal has the default action now, and whenever the program
 * gives it the default action from then on (if sigaction() is interposed). The signals of `mask` are blocked while it
 * runs; NULL: only the signal itself. */
typedef void dispositions_handler(int number, siginfo_t *info, void *context);
void dispositions_set(int number, dispositions_handler *handler, const sigset_t *mask);

/* Gives the default action back if the handler is set; it is not set again. */
void dispositions_unset(int number, dispositions_handler *handler);

/* Gives the signal its default action, whatever it has now. Async-signal-safe. */
void dispositions_reset(int number);

#endif

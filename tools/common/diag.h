/* SPDX-License-Identifier: MIT
 * Lines of the command on stderr: error messages, "stmlog: SUBJECT: what is wrong; what to do"; and how far long work
 * has come. */
#ifndef DIAG_H
#define DIAG_H

#include <stddef.h>
#include <stdio.h>

/* Exit statuses of the command. */
enum { STATUS_DONE = 0, STATUS_VIOLATION = 1, STATUS_UNUSABLE = 2, STATUS_UNDECIDED = 3 };

/* Of `record`, whose other statuses are those of the program that it ran: the program has lost too much. */
enum { STATUS_LOST_TOO_MUCH = 8 };

/* Prints the message. `subject` is a file, an option or a subcommand; NULL: none. Control characters in the
 * message, and others that act on a terminal, become '?', so that it stays one line and shows all of itself. */
void diag(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Flushes stdout. Returns `status`; or, if stdout could not be written (a full disk), prints that and returns
 * STATUS_UNUSABLE. */
int diag_finish_stdout(int status);

/* ---- progress ---- */

/* How far long work has come: a line on the terminal that is overwritten and disappears at the end. */

struct progress {
	FILE *to; /* NULL: nothing is shown */
	const char *what;
	size_t total;
	int percent; /* shown last; -1: none yet */
};

/* Shows nothing if stderr is no terminal, or if `out`, to which the work writes its result, is a terminal itself. `out`
 * is NULL if the work writes nothing before progress_end(). */
struct progress progress_begin(const char *what, size_t total, FILE *out);

/* `progress` may be NULL. Writes only when the percentage has changed. */
void progress_step(struct progress *progress, size_t done);
void progress_end(struct progress *progress);

#endif

/* SPDX-License-Identifier: MIT
 * Errors of the command: one line on stderr each, "stmlog: SUBJECT: what; what to do". */
#ifndef DIAG_H
#define DIAG_H

/* Exit statuses of the command. */
enum { STATUS_DONE = 0, STATUS_VIOLATION = 1, STATUS_UNUSABLE = 2, STATUS_UNDECIDED = 3 };

/* Prints the line. `subject` is a file, an option or a subcommand; NULL leaves it out. Whatever bytes the
 * arguments hold, it stays one line: control characters are shown as '?'. */
void diag(const char *subject, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Flushes stdout; returns `status`, or STATUS_UNUSABLE with a line on stderr when what was printed could not be
 * written (a full disk must not look like success). */
int diag_finish_stdout(int status);

#endif

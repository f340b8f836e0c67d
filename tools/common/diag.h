/* SPDX-License-Identifier: MIT
 * Error messages of the command, one line on stderr each: "stmlog: SUBJECT: what is wrong; what to do". */
#ifndef DIAG_H
#define DIAG_H

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

#endif

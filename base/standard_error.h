/* SPDX-License-Identifier: MIT
 * Returns descriptor 2 as long as it is stderr. A daemon closes its standard streams; the next file that it opens, a
 * database perhaps, then has the number 2, and the library must not write to that file. */
#ifndef STMLOG_STANDARD_ERROR_H
#define STMLOG_STANDARD_ERROR_H

/* Remembers which file descriptor 2 is now. Called when the library is loaded: later it may be another file already.
 * One thread.
 */
void standard_error_note(void);

/* Returns 2 if descriptor 2 is still the remembered file, or is a log: a file that is open for appending only.
 * Otherwise returns -1, to which no write succeeds. Any thread; async-signal-safe; keeps errno. */
int standard_error(void);

/* Prints "stmlog: ", the texts, and the end of the line there; the last argument is NULL. Any thread;
 * async-signal-safe. */
void standard_error_tell(const char *first, ...) __attribute__((sentinel));

#endif

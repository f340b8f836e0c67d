/* SPDX-License-Identifier: MIT
 * stdin as a recording's file: what comes through a pipe is kept in a temporary file, because sections are read by
 * their offsets. */
#ifndef STANDARD_INPUT_H
#define STANDARD_INPUT_H

#define STANDARD_INPUT "-" /* the path that stands for stdin */

/* Returns a file descriptor to close. Returns -1 with `*fault` set, to a sentence about stdin or to NULL: errno says
 * why then. Waits until a pipe has ended. */
int standard_input_open(const char **fault);

#endif

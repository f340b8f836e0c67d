/* SPDX-License-Identifier: MIT
 * Completes the words after `stmlog`: programs for shells, and the answer that they ask the command for. */
#ifndef COMPLETION_H
#define COMPLETION_H

#include <stdbool.h>
#include <stddef.h>

#include "command.h"
#include "manual.h"

/* "bash|zsh|fish": the shells that completion_print() knows. */
#define COMPLETION_SHELLS "bash|zsh|fish"

/* Prints the program for the shell. Returns false if the shell is not one of these. */
bool completion_print(const char *shell);

/* Prints what may stand in the place of the last of the words after `stmlog`: for the form see completion.c. */
void completion_answer(const struct help_tables *tables, char **words, size_t len);

#endif

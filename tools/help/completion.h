/* SPDX-License-Identifier: MIT
 * Programs for shells that complete the words after `stmlog`, made of the tables that --help is made of. */
#ifndef COMPLETION_H
#define COMPLETION_H

#include <stdbool.h>

#include "command.h"
#include "manual.h"

/* "bash|zsh|fish": the shells that completion_print() knows. */
#define COMPLETION_SHELLS "bash|zsh|fish"

/* Returns false if the shell is not one of these. */
bool completion_print(const struct help_tables *tables, const char *shell);

/* Whether the command's arguments are a program that it runs, with that one's arguments. */
bool completion_runs_program(const struct command *command);

#endif

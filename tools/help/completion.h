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

/* ---- completion_words.c ---- */

/* What the tables say of an option's value, or of a command's arguments. */
bool completion_is_path(const char *value);
bool completion_runs_program(const struct command *command);
bool completion_takes_files(const struct command *command);

/* Prints the words of an option's value with `between` two of them. Returns false if it has none. */
bool completion_words(const struct command *command, const struct option_row *row, const char *between);

/* Prints the text within quotation marks of all three shells; `special` are the characters before which a backslash is
 * put, a quotation mark being one of them in any case. */
void completion_quoted(const char *text, const char *special);

/* ---- completion_bash.c and so on ---- */

void completion_bash(const struct help_tables *tables);
void completion_zsh(const struct help_tables *tables);
void completion_fish(const struct help_tables *tables);

#endif

/* SPDX-License-Identifier: MIT
 * Refuses commands, options and values that earlier versions had: the rows of removed.def. */
#ifndef REMOVED_H
#define REMOVED_H

#include <stdbool.h>
#include <stddef.h>

/* Prints what to use instead of the word, of which the first `len` characters count: "" is the command itself, else
 * "--option" or "--option=value". Returns false, and prints nothing, if the word is in no row of the command. */
bool removed_refuse(const char *command, const char *word, size_t len);

#endif

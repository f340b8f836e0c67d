/* SPDX-License-Identifier: MIT
 * Words in commands that users copy to a shell. */
#ifndef QUOTED_H
#define QUOTED_H

#include <stddef.h>

/* The word in the form that a shell reads as this word, in quotation marks if it needs them, and never as an option:
 * "./" comes before a '-'. Free it with memory_free(). */
char *quoted_word(const char *word);

/* A program and its arguments, with blanks between them. Arguments that begin with '-' stay options. Requires len > 0.
 */
char *quoted_command(const char *const *words, size_t len);

#endif

/* SPDX-License-Identifier: MIT
 * Plain text as roff, the input of man, on stdout. Lines stay below 80 columns. */
#ifndef ROFF_H
#define ROFF_H

#include <stddef.h>

/* The first lines of the page of a command (NULL: of stmlog itself), up to its name and the one line about it. The date
 * is today's, or SOURCE_DATE_EPOCH. */
void roff_title(const char *command, const char *summary);

void roff_section(const char *name);

/* Prints the bytes of one word, escaped. Requires that there is no newline among them. */
void roff_word(const char *word, size_t len);

/* Text that roff may break into lines as it likes. */
void roff_text(const char *text);

/* Lines of which an empty one ends a paragraph, and one that begins with a blank stays as it is. A line that begins
 * with "Exit status: " begins that section. */
void roff_paragraphs(const char *text);

#endif

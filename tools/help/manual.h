/* SPDX-License-Identifier: MIT
 * The manual pages of the command, made of the tables that --help is made of. */
#ifndef MANUAL_H
#define MANUAL_H

#include <stddef.h>

#include "command.h"

/* The tables that the pages are made of. */
struct help_tables {
	const struct command *const *commands; /* ended by NULL */
	const struct option_row *general;      /* options without a command */
	const char *exit_status;               /* of all commands, a line or more */
};

/* Prints the page stmlog(1), as input for man. */
void manual_overview(const struct help_tables *tables);

/* Prints the page of a command, stmlog-report(1). */
void manual_command(const struct help_tables *tables, const struct command *command);

/* ---- plain text as roff, the input of man, on stdout; lines stay below 80 columns ---- */

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

/* SPDX-License-Identifier: MIT
 * The manual pages of the command, made of the tables that --help is made of. */
#ifndef MANUAL_H
#define MANUAL_H

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

#endif

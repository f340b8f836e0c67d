/* SPDX-License-Identifier: MIT
 * What a subcommand is: a row of the table in stmlog.c. Its options are one table, from which both the parser and
 * the help text are made, so that they cannot disagree. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>

struct option_row {
	const char *name;  /* without the dashes; NULL ends the table */
	int id;            /* what arguments_next() returns; a printable character is the short option too */
	const char *value; /* what the help calls its value; "[...]": it need not have one; NULL: it takes none */
	const char *help;
};

struct command {
	const char *name;
	const char *arguments; /* after the options in the usage line */
	const char *summary;
	const struct option_row *options;
	void (*print_choices)(void); /* below the options, what one of them may be; NULL: nothing */
	const char *notes;           /* below the options, lines ended by '\n'; NULL: none */
	bool stops_at_argument;      /* the first argument ends the options */
	int (*run)(const struct command *self, int argc, char **argv); /* returns the exit status */
};

extern const struct command cmd_record, cmd_report, cmd_export, cmd_merge, cmd_diff, cmd_check, cmd_info;

void command_print_help(const struct command *command);

#endif

/* SPDX-License-Identifier: MIT
 * A subcommand: a row of the table in stmlog.c. The parser and the help text are made from one table of its options, so
 * that they cannot disagree. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>

struct option_row {
	const char *name;  /* without the dashes; NULL ends the table */
	int id;            /* what arguments_next() returns; a printable character is the short option too */
	const char *value; /* the name of its value in the help; "[...]": the value is optional; NULL: it has none */
	const char *help;
};

struct command {
	const char *name;
	const char *arguments; /* after the options in the usage line */
	const char *summary;
	const struct option_row *options;
	void (*print_choices)(void); /* prints below the options the values that one of them may have; or NULL */
	const char *notes;           /* lines below all that, each ended by '\n'; or NULL */
	bool stops_at_argument;      /* the first argument ends the options */
	int (*run)(const struct command *self, int argc, char **argv); /* returns the exit status */
};

extern const struct command cmd_record, cmd_report, cmd_annotate, cmd_export, cmd_merge, cmd_diff, cmd_check, cmd_info;

void command_print_help(const struct command *command);

#endif

/* SPDX-License-Identifier: MIT
 * A subcommand: a row of the table in stmlog.c. The parser and the help text are made from one table of its options, so
 * that they cannot disagree. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>

#include "printer.h"

struct option_row {
	const char *name;  /* without the dashes; NULL ends the table */
	int id;            /* what arguments_next() returns; a printable character is the short option too */
	const char *value; /* the name of its value in the help; "[...]": the value is optional; NULL: it has none */
	const char *help;
};

/* Called for each word that the value of an option may be. `help` says what the word means; NULL: the option's help
 * does. */
typedef void command_visit(void *arg, const char *word, const char *help);

struct command {
	const char *name;
	const char *arguments; /* after the options in the usage line */
	const char *summary;
	const struct option_row *options;
	/* Visits the words for the option with this id, if its value is one of several words; may be NULL. Words that
	 * the row's `value` names, as "lost|count", are left out here. */
	void (*choices)(int id, command_visit *visit, void *arg);
	const char *notes;      /* lines below the options, each ended by '\n'; or NULL */
	bool stops_at_argument; /* the first argument ends the options */
	bool has_colours;       /* it prints by file_printer(): --color is one of its options */
	bool is_paged;          /* what does not fit the terminal goes through a pager */
	int (*run)(const struct command *self, int argc, char **argv); /* returns the exit status */
};

extern const struct command cmd_record, cmd_try, cmd_report, cmd_annotate, cmd_export, cmd_merge, cmd_diff, cmd_check,
	cmd_info, cmd_anonymize;

/* The options that commands have in common. */
enum { COMMAND_HELP = 'h', COMMAND_COLOR = 1000 };
/* Visits the rows of the command and the common ones. */
typedef void command_visit_row(void *arg, const struct command *command, const struct option_row *row);
void command_each_option(const struct command *command, command_visit_row *visit, void *arg);

/* Visits each word that the value of the option may be. None: it is a number, a file or the like. */
void command_each_choice(const struct command *command, const struct option_row *row, command_visit *visit, void *arg);

/* Prints paragraphs. Single ends of lines within them are spaces where the width is known, so that they fill it. */
void command_print_notes(const struct printer *out, const char *notes);

void command_print_help(const struct command *command);

#endif

/* SPDX-License-Identifier: MIT
 * A subcommand: a row of the table in stmlog.c. The parser and the help text are made from one table of its options, so
 * that they cannot disagree. A word that is in no table may be mistyped, or one of an earlier version. */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>
#include <stddef.h>

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

/* ---- mistyped words ---- */

/* Finds the word that a user probably meant by a mistyped one. */

enum { SIMILAR_LONGEST = 32 }; /* longer words are similar to none */

struct similar {
	const char *typed;
	size_t len;                     /* of `typed`: the characters that count */
	char best[SIMILAR_LONGEST + 1]; /* "": no word was similar */
	size_t distance;                /* of `best` */
};

/* Only the first `len` characters of `typed` count, which is borrowed. */
struct similar similar_to(const char *typed, size_t len);

/* Makes `word` the best if it is more similar than all words before. A word is similar if a third of the typed letters,
 * or one letter, has to be changed, left out, inserted or exchanged with its neighbour; or if the typed letters are its
 * beginning. */
void similar_try(struct similar *similar, const char *word);

/* ---- words of earlier versions ---- */

/* Refuses commands, options and values that earlier versions had: the rows of removed.def. */

/* Prints what to use instead of the word, of which the first `len` characters count: "" is the command itself, else
 * "--option" or "--option=value". Returns false, and prints nothing, if the word is in no row of the command. */
bool removed_refuse(const char *command, const char *word, size_t len);

#endif

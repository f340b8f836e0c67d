/* SPDX-License-Identifier: MIT
 * getopt_long() with the table of a subcommand. */
#include "arguments.h"

#include <getopt.h>
#include <stddef.h>
#include <string.h>

#include "diag.h"

/* Rows of a table beyond MOST_OPTIONS would be ignored. */
enum { MOST_OPTIONS = 30, HELP_ID = 'h' };

struct arguments arguments_of(const struct command *command, int argc, char **argv)
{
	optind = 0; /* glibc: begin anew */
	opterr = 0;
	return (struct arguments){.command = command, .argc = argc, .argv = argv};
}

static int has_value(const struct option_row *row)
{
	return row->value == NULL ? no_argument : row->value[0] == '[' ? optional_argument : required_argument;
}

/* Makes the tables of getopt_long from that of the subcommand. */
static void fill(const struct command *command, struct option *longs, char *shorts)
{
	size_t len = 0;
	if (command->stops_at_argument)
		*shorts++ = '+';
	*shorts++ = ':';
	for (const struct option_row *row = command->options; row->name != NULL && len < MOST_OPTIONS; row++) {
		longs[len++] = (struct option){row->name, has_value(row), NULL, row->id};
		if (row->id < 128)
			*shorts++ = (char)row->id;
		if (row->id < 128 && row->value != NULL)
			*shorts++ = ':';
	}
	longs[len++] = (struct option){"help", no_argument, NULL, HELP_ID};
	longs[len] = (struct option){0};
	*shorts++ = HELP_ID;
	*shorts = '\0';
}

/* Names the option that getopt_long refused: a short one is in optopt, a long one is the argument. */
static int refuse(struct arguments *arguments, int found)
{
	const char *word = arguments->argv[optind - 1];
	char letter[3] = {'-', (char)optopt, '\0'};
	if (word == NULL || strncmp(word, "--", 2) != 0)
		word = letter;
	const char *name = arguments->command->name;
	if (found == ':')
		diag(name, "option '%s' needs a value; see 'stmlog help %s'", word, name);
	else
		diag(name, "unknown option '%s'; see 'stmlog help %s'", word, name);
	arguments->status = STATUS_UNUSABLE;
	return ARGUMENTS_STOP;
}

int arguments_next(struct arguments *arguments)
{
	struct option longs[MOST_OPTIONS + 2];
	char shorts[2 * MOST_OPTIONS + 4];
	fill(arguments->command, longs, shorts);
	int found = getopt_long(arguments->argc, arguments->argv, shorts, longs, NULL);
	arguments->value = optarg;
	arguments->first = optind;
	if (found == '?' || found == ':')
		return refuse(arguments, found);
	if (found == HELP_ID) {
		command_print_help(arguments->command);
		arguments->status = diag_finish_stdout(STATUS_DONE);
		return ARGUMENTS_STOP;
	}
	return found < 0 ? ARGUMENTS_END : found;
}

int arguments_refuse(struct arguments *arguments, const char *name, const char *wanted)
{
	diag(arguments->command->name, "--%s=%s: not understood; use %s", name, arguments->value, wanted);
	arguments->status = STATUS_UNUSABLE;
	return ARGUMENTS_STOP;
}

int arguments_each_file(const struct command *command, int argc, char **argv, int (*one)(const char *path))
{
	struct arguments arguments = arguments_of(command, argc, argv);
	if (arguments_next(&arguments) == ARGUMENTS_STOP)
		return arguments.status;
	if (arguments.first == argc) {
		diag(command->name, "no FILE; see 'stmlog help %s'", command->name);
		return STATUS_UNUSABLE;
	}
	int worst = STATUS_DONE;
	for (int i = arguments.first; i < argc; i++) {
		int status = one(argv[i]);
		worst = status > worst ? status : worst;
	}
	return diag_finish_stdout(worst);
}

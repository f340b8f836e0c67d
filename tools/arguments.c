/* SPDX-License-Identifier: MIT
 * Parses options by getopt_long(), by the table of a subcommand. */
#include "arguments.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "diag.h"
#include "memory.h"
#include "output.h"
#include "recording.h"

/* Rows of a table beyond MAX_OPTIONS would be ignored. */
enum { MAX_OPTIONS = 30 };

struct arguments arguments_of(const struct command *command, int argc, char **argv)
{
	REQUIRES(argc > 0);
	optind = 0; /* glibc: begin anew */
	opterr = 0;
	return (struct arguments){.command = command, .argc = argc, .argv = argv};
}

static int has_value(const struct option_row *row)
{
	return row->value == NULL ? no_argument : row->value[0] == '[' ? optional_argument : required_argument;
}

/* The tables of getopt_long. */
struct tables {
	struct option longs[MAX_OPTIONS + 1];
	char shorts[2 * MAX_OPTIONS + 4];
	size_t longs_len, shorts_len;
};

static void add_row(void *arg, const struct command *command, const struct option_row *row)
{
	struct tables *tables = arg;
	(void)command;
	if (tables->longs_len == MAX_OPTIONS)
		return;
	tables->longs[tables->longs_len++] = (struct option){row->name, has_value(row), NULL, row->id};
	if (row->id < 128)
		tables->shorts[tables->shorts_len++] = (char)row->id;
	if (row->id < 128 && row->value != NULL)
		tables->shorts[tables->shorts_len++] = ':';
}

static void fill(struct tables *tables, const struct command *command)
{
	memset(tables, 0, sizeof *tables);
	if (command->stops_at_argument)
		tables->shorts[tables->shorts_len++] = '+';
	tables->shorts[tables->shorts_len++] = ':';
	command_each_option(command, add_row, tables);
}

/* ---- what is refused ---- */

static void try_option(void *similar, const struct command *command, const struct option_row *row)
{
	(void)command;
	similar_try(similar, row->name);
}

static void try_word(void *similar, const char *word, const char *help)
{
	(void)help;
	similar_try(similar, word);
}

/* One option, each of whose values is visited. */
struct values {
	const char *option;
	command_visit *visit;
	void *arg;
};

static void visit_values(void *arg, const struct command *command, const struct option_row *row)
{
	const struct values *values = arg;
	if (strcmp(row->name, values->option) == 0)
		command_each_choice(command, row, values->visit, values->arg);
}

static void each_value(const struct command *command, const char *option, command_visit *visit, void *arg)
{
	struct values values = {option, visit, arg};
	command_each_option(command, visit_values, &values);
}

/* " (did you mean 'X'?)", or "" if no word is similar; owned. */
static char *advice(const struct similar *similar, const char *dashes)
{
	return similar->best[0] == '\0' ? memory_text("")
					: memory_format(" (did you mean '%s%s'?)", dashes, similar->best);
}

/* Names the option that getopt_long refused: a short one is in optopt, a long one is the argument. */
static int refuse(struct arguments *arguments, int found)
{
	const char *word = arguments->argv[optind - 1];
	char letter[3] = {'-', (char)optopt, '\0'};
	if (word == NULL || strncmp(word, "--", 2) != 0)
		word = letter;
	const char *name = arguments->command->name;
	arguments->status = STATUS_UNUSABLE;
	if (removed_refuse(name, word, strcspn(word, "=")))
		return ARGUMENTS_STOP;
	struct similar similar = similar_to(word + 2, strcspn(word, "=") - 2);
	if (word != letter)
		command_each_option(arguments->command, try_option, &similar);
	char *meant = advice(&similar, "--");
	if (found == ':')
		diag(name, "option '%s' needs a value; see 'stmlog help %s'", word, name);
	else
		diag(name, "unknown option '%s'%s; see 'stmlog help %s'", word, meant, name);
	free(meant);
	return ARGUMENTS_STOP;
}

int arguments_next(struct arguments *arguments)
{
	int colour;
	struct tables tables;
	fill(&tables, arguments->command);
	int found = getopt_long(arguments->argc, arguments->argv, tables.shorts, tables.longs, NULL);
	arguments->value = optarg;
	arguments->first = optind;
	switch (found) {
	case '?':
	case ':':
		return refuse(arguments, found);
	case COMMAND_COLOR:
		colour = arguments_choice(arguments, "color");
		if (colour == ARGUMENTS_STOP)
			return ARGUMENTS_STOP;
		file_printer_choose((enum file_colour)colour);
		return arguments_next(arguments);
	case COMMAND_HELP:
		command_print_help(arguments->command);
		arguments->status = diag_finish_stdout(STATUS_DONE);
		return ARGUMENTS_STOP;
	default:
		return found < 0 ? ARGUMENTS_END : found;
	}
}

int arguments_refuse(struct arguments *arguments, const char *name, const char *wanted)
{
	arguments->status = STATUS_UNUSABLE;
	char *word = memory_format("--%s=%s", name, arguments->value);
	bool is_removed = removed_refuse(arguments->command->name, word, strlen(word));
	free(word);
	if (is_removed)
		return ARGUMENTS_STOP;
	struct similar similar = similar_to(arguments->value, strlen(arguments->value));
	each_value(arguments->command, name, try_word, &similar);
	char *meant = advice(&similar, "");
	diag(arguments->command->name, "--%s=%s: not understood%s; use %s", name, arguments->value, meant, wanted);
	free(meant);
	return ARGUMENTS_STOP;
}

struct choice {
	const char *value;
	int found;   /* ARGUMENTS_STOP: not yet */
	char *words; /* all so far: "pprof, folded, json" */
	int len;
};

static void add_word(void *arg, const char *word, const char *help)
{
	struct choice *choice = arg;
	(void)help;
	if (strcmp(word, choice->value) == 0)
		choice->found = choice->len;
	char *words = memory_format("%s%s%s", choice->words, choice->len > 0 ? ", " : "", word);
	free(choice->words);
	choice->words = words;
	choice->len++;
}

int arguments_choice(struct arguments *arguments, const char *name)
{
	struct choice choice = {arguments->value, ARGUMENTS_STOP, memory_text(""), 0};
	each_value(arguments->command, name, add_word, &choice);
	REQUIRES(choice.len > 1);
	if (choice.found == ARGUMENTS_STOP) {
		char *last = strrchr(choice.words, ',');
		char *wanted = memory_format("%.*s or%s", (int)(last - choice.words), choice.words, last + 1);
		arguments_refuse(arguments, name, wanted);
		free(wanted);
	}
	free(choice.words);
	return choice.found;
}

int arguments_each_file(const struct arguments *arguments, int (*one)(const char *path))
{
	if (arguments->first == arguments->argc)
		return diag_finish_stdout(one(RECORDING_USUAL_FILE));
	int worst = STATUS_DONE;
	for (int i = arguments->first; i < arguments->argc; i++) {
		int status = one(arguments->argv[i]);
		worst = status > worst ? status : worst;
	}
	return diag_finish_stdout(worst);
}

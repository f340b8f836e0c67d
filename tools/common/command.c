/* SPDX-License-Identifier: MIT
 * The help text of a subcommand, made of its table of options. */
#include "command.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "file_printer.h"

static const struct option_row colour_row = {
	"color", COMMAND_COLOR, "auto|always|never", "colours: auto is on a terminal, without NO_COLOR (auto)"};
static const struct option_row help_row = {"help", COMMAND_HELP, NULL, "show the help"};

void command_each_option(const struct command *command, command_visit_row *visit, void *arg)
{
	for (const struct option_row *row = command->options; row->name != NULL; row++)
		visit(arg, command, row);
	if (command->has_colours)
		visit(arg, command, &colour_row);
	visit(arg, command, &help_row);
}

/* The words of "lost|count"; of "N|auto" only the second, because a word in capitals stands for something else. */
static void each_named_choice(const char *value, command_visit *visit, void *arg)
{
	char word[32];
	while (*value != '\0') {
		size_t len = strcspn(value, "|");
		snprintf(word, sizeof word, "%.*s", (int)len, value);
		if (!isupper((unsigned char)word[0]))
			visit(arg, word, NULL);
		value += len + (value[len] == '|');
	}
}

void command_each_choice(const struct command *command, const struct option_row *row, command_visit *visit, void *arg)
{
	if (row->value != NULL && strchr(row->value, '|') != NULL)
		each_named_choice(row->value, visit, arg);
	if (command->choices != NULL)
		command->choices(row->id, visit, arg);
}

static void print_option(void *unused, const struct command *command, const struct option_row *row)
{
	(void)unused;
	(void)command;
	char left[64];
	bool is_optional = row->value != NULL && row->value[0] == '[';
	const char *equals = row->value == NULL ? "" : is_optional ? "[=" : "=";
	const char *value = row->value == NULL ? "" : row->value + is_optional;
	if (row->id < 128)
		snprintf(left, sizeof left, "-%c, --%s%s%s", row->id, row->name, equals, value);
	else
		snprintf(left, sizeof left, "    --%s%s%s", row->name, equals, value);
	struct printer out = text_printer(stdout);
	printer_format(&out, "  %-30s %s\n", left, row->help);
}

/* The help of words that have one. `arg` says whether the line before it is to be empty. */
static void print_choice(void *arg, const char *word, const char *help)
{
	bool *is_first = arg;
	if (help == NULL)
		return;
	struct printer out = text_printer(stdout);
	printer_format(&out, "%s  %-12s %s\n", *is_first ? "\n" : "", word, help);
	*is_first = false;
}

static void print_choices(void *unused, const struct command *command, const struct option_row *row)
{
	bool is_first = true;
	(void)unused;
	command_each_choice(command, row, print_choice, &is_first);
}

void command_print_notes(const struct printer *out, const char *notes)
{
	for (const char *at = notes; *at != '\0'; at++) {
		bool ends = *at == '\n' &&
			    (at[1] == '\n' || at[1] == '\0' || at[1] == ' ' || (at > notes && at[-1] == '\n'));
		printer_format(out, "%c", *at == '\n' && !ends && out->width != 0 ? ' ' : *at);
	}
}

void command_print_help(const struct command *command)
{
	struct printer out = text_printer(stdout);
	printer_format(&out, "usage: stmlog %s [OPTION...] %s\n\n%s.\n\n", command->name, command->arguments,
		command->summary);
	command_each_option(command, print_option, NULL);
	command_each_option(command, print_choices, NULL);
	if (command->notes != NULL) {
		printer_text(&out, "\n");
		command_print_notes(&out, command->notes);
	}
}

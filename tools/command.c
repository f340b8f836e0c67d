/* SPDX-License-Identifier: MIT
 * The help text of a subcommand, made of its table of options. */
#include "command.h"

#include <stddef.h>
#include <stdio.h>

static void print_option(const struct option_row *row)
{
	char left[64];
	bool is_optional = row->value != NULL && row->value[0] == '[';
	const char *equals = row->value == NULL ? "" : is_optional ? "[=" : "=";
	const char *value = row->value == NULL ? "" : row->value + is_optional;
	if (row->id < 128)
		snprintf(left, sizeof left, "-%c, --%s%s%s", row->id, row->name, equals, value);
	else
		snprintf(left, sizeof left, "    --%s%s%s", row->name, equals, value);
	printf("  %-30s %s\n", left, row->help);
}

void command_print_help(const struct command *command)
{
	static const struct option_row help = {"help", 'h', NULL, "this text"};
	printf("usage: stmlog %s [OPTION...] %s\n\n%s.\n\n", command->name, command->arguments, command->summary);
	for (const struct option_row *row = command->options; row->name != NULL; row++)
		print_option(row);
	print_option(&help);
	if (command->print_choices != NULL)
		command->print_choices();
	if (command->notes != NULL)
		printf("\n%s", command->notes);
}

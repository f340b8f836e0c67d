/* SPDX-License-Identifier: MIT
 * For fish: a command `complete` for each word that can be completed. */
#include <stddef.h>
#include <stdio.h>

#include "completion.h"

static void print_option(void *unused, const struct command *command, const struct option_row *row)
{
	(void)unused;
	printf("complete -c stmlog -n '__fish_seen_subcommand_from %s' -l %s", command->name, row->name);
	if (row->id < 128)
		printf(" -s %c", row->id);
	if (row->value != NULL && completion_is_path(row->value)) {
		fputs(" -r -F", stdout);
	} else if (row->value != NULL && row->value[0] != '[') {
		fputs(" -x -a '", stdout);
		completion_words(command, row, " ");
		putchar('\'');
	}
	fputs(" -d '", stdout);
	completion_quoted(row->help, "\\");
	fputs("'\n", stdout);
}

static void print_page(void *arg, const char *name, const char *title)
{
	const struct command *command = arg;
	printf("complete -c stmlog -n '__fish_seen_subcommand_from %s' -f -a %s -d '", command->name, name);
	completion_quoted(title, "\\");
	fputs("'\n", stdout);
}

static void print_arguments(const struct help_tables *tables, const struct command *command)
{
	const char *what = completion_runs_program(command) ? "(__fish_complete_subcommand --fcs-skip=2)" : "";
	if (what[0] == '\0' && !completion_takes_files(command))
		printf("complete -c stmlog -n '__fish_seen_subcommand_from %s' -f\n", command->name);
	if (what[0] != '\0')
		printf("complete -c stmlog -n '__fish_seen_subcommand_from %s' -a '%s'\n", command->name, what);
	for (size_t i = 0; command->takes_commands && tables->commands[i] != NULL; i++)
		printf("complete -c stmlog -n '__fish_seen_subcommand_from %s' -f -a %s\n", command->name,
			tables->commands[i]->name);
	if (command->takes_commands)
		tables->each_page(print_page, (void *)command);
}

void completion_fish(const struct help_tables *tables)
{
	fputs("# Completes the words after stmlog in fish. Made by: stmlog help --completion=fish\n\n", stdout);
	for (const struct option_row *row = tables->general; row->name != NULL; row++)
		printf("complete -c stmlog -n __fish_use_subcommand -l %s -d '%s'\n", row->name, row->help);
	for (const struct command *const *command = tables->commands; *command != NULL; command++) {
		printf("complete -c stmlog -n __fish_use_subcommand -f -a %s -d '", (*command)->name);
		completion_quoted((*command)->summary, "\\");
		fputs("'\n", stdout);
		command_each_option(*command, print_option, NULL);
		print_arguments(tables, *command);
	}
}

/* SPDX-License-Identifier: MIT
 * For zsh: what _arguments takes. */
#include <stddef.h>
#include <stdio.h>

#include "completion.h"

/* What completes the value: its words, a file, or nothing but its name as a hint. */
static void print_value(const struct command *command, const struct option_row *row)
{
	bool is_optional = row->value[0] == '[';
	printf("%s", is_optional ? "::" : ":");
	if (completion_is_path(row->value)) {
		fputs("file:_files", stdout);
		return;
	}
	fputs("value:(", stdout);
	completion_words(command, row, " ");
	putchar(')');
}

static void print_option(void *unused, const struct command *command, const struct option_row *row)
{
	const char *equals = row->value == NULL ? "" : row->value[0] == '[' ? "=-" : "=";
	(void)unused;
	printf("\t\t\t'--%s%s[", row->name, equals);
	completion_quoted(row->help, "[]:\\");
	putchar(']');
	if (row->value != NULL)
		print_value(command, row);
	fputs("' \\\n", stdout);
	if (row->id >= 128)
		return;
	printf("\t\t\t'-%c%s[", row->id, row->value != NULL ? "+" : "");
	completion_quoted(row->help, "[]:\\");
	putchar(']');
	if (row->value != NULL)
		print_value(command, row);
	fputs("' \\\n", stdout);
}

static void print_arguments(const struct command *command)
{
	if (completion_runs_program(command))
		fputs("\t\t\t'(-)1:program: _command_names -e' '*::arguments: _normal'", stdout);
	else if (command->takes_commands)
		fputs("\t\t\t'1:command:->help'", stdout);
	else if (completion_takes_files(command))
		fputs("\t\t\t'*:recording:_files'", stdout);
	else
		fputs("\t\t\t'*:argument: '", stdout);
}

static void print_page(void *unused, const char *name, const char *title)
{
	(void)unused;
	printf("\t\t'%s:", name);
	completion_quoted(title, ":\\");
	fputs("'\n", stdout);
}

void completion_zsh(const struct help_tables *tables)
{
	fputs("#compdef stmlog\n# Completes the words after stmlog in zsh. Made by: stmlog help --completion=zsh\n\n"
	      "_stmlog()\n{\n\tlocal curcontext=\"$curcontext\" state line\n\tlocal -A opt_args\n\tlocal -a commands "
	      "pages\n"
	      "\tcommands=(\n",
		stdout);
	for (const struct command *const *command = tables->commands; *command != NULL; command++) {
		printf("\t\t'%s:", (*command)->name);
		completion_quoted((*command)->summary, ":\\");
		fputs("'\n", stdout);
	}
	fputs("\t)\n\tpages=(\n", stdout);
	tables->each_page(print_page, NULL);
	fputs("\t)\n\t_arguments -C \\\n", stdout);
	for (const struct option_row *row = tables->general; row->name != NULL; row++)
		printf("\t\t'(- *)--%s[%s]' \\\n", row->name, row->help);
	fputs("\t\t'1:command:->command' '*::argument:->argument'\n\tcase $state in\n"
	      "\tcommand) _describe command commands ;;\n\targument)\n\t\tcase $words[1] in\n",
		stdout);
	for (const struct command *const *command = tables->commands; *command != NULL; command++) {
		printf("\t\t%s)\n\t\t\t_arguments -S \\\n", (*command)->name);
		command_each_option(*command, print_option, NULL);
		print_arguments(*command);
		fputs(" ;;\n", stdout);
	}
	fputs("\t\tesac\n\t\t[[ $state != help ]] || _describe 'command or page' commands -- pages "
	      ";;\n\tesac\n}\n\n_stmlog \"$@\"\n",
		stdout);
}

/* SPDX-License-Identifier: MIT
 * Which sections a page has, and what stands in them. */
#include "manual.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- options ---- */

static void print_option_name(const struct option_row *row)
{
	bool is_optional = row->value != NULL && row->value[0] == '[';
	size_t len = row->value == NULL ? 0 : strlen(row->value) - 2 * is_optional;
	fputs(".TP\n", stdout);
	if (row->id < 128)
		printf("\\fB\\-%c\\fR, ", row->id);
	fputs("\\fB\\-\\-", stdout);
	roff_word(row->name, strlen(row->name));
	fputs("\\fR", stdout);
	if (row->value != NULL) {
		fputs(is_optional ? "[=\\fI" : "=\\fI", stdout);
		roff_word(row->value + is_optional, len);
		fputs(is_optional ? "\\fR]" : "\\fR", stdout);
	}
	putchar('\n');
}

/* The words of a value that have a help of their own. `arg` counts them. */
static void print_choice(void *arg, const char *word, const char *help)
{
	size_t *count = arg;
	if (help == NULL)
		return;
	if ((*count)++ == 0)
		fputs(".RS\n", stdout);
	fputs(".TP\n.B ", stdout);
	roff_text(word);
	roff_text(help);
}

static void print_option(void *unused, const struct command *command, const struct option_row *row)
{
	size_t choices = 0;
	(void)unused;
	print_option_name(row);
	roff_text(row->help);
	if (command != NULL)
		command_each_choice(command, row, print_choice, &choices);
	if (choices > 0)
		fputs(".RE\n", stdout);
}

/* ---- the sections that all pages have ---- */

static void print_exit_status(const struct help_tables *tables, const struct command *command)
{
	if (command->notes != NULL && strstr(command->notes, "xit status") != NULL)
		return;
	roff_section("EXIT STATUS");
	roff_text(tables->exit_status);
}

/* Ends a list of references. */
static void print_last_references(void)
{
	puts(".BR stmlog\\-options (7),\n.BR stmlog (3)");
}

/* ---- the pages ---- */

void manual_command(const struct help_tables *tables, const struct command *command)
{
	roff_title(command->name, command->summary);
	roff_section("SYNOPSIS");
	printf(".B stmlog %s\n[\\fIOPTION\\fR...]\n", command->name);
	roff_text(command->arguments);
	if (command->notes != NULL) {
		roff_section("DESCRIPTION");
		roff_paragraphs(command->notes);
	}
	roff_section("OPTIONS");
	roff_text("A value in parentheses is that of a call without the option.");
	command_each_option(command, print_option, NULL);
	print_exit_status(tables, command);
	roff_section("SEE ALSO");
	puts(".BR stmlog (1),");
	print_last_references();
}

static void print_environment(void)
{
	static const struct option_row variables[] = {
		{"STMLOG_OPTIONS", 0, NULL, "options of the part of stmlog inside a program: stmlog-options(7)"},
		{"STMLOG_PAGER, PAGER", 0, NULL,
			"the pager for output that does not fit the terminal (less); STMLOG_PAGER=cat turns it off"},
		{"LESS", 0, NULL, "options of less (FRX)"},
		{"COLUMNS", 0, NULL, "the width of reports, also where no terminal is"},
		{"NO_COLOR", 0, NULL, "if it is set and not empty, --color=auto means never"},
		{0},
	};
	roff_section("ENVIRONMENT");
	for (const struct option_row *row = variables; row->name != NULL; row++) {
		printf(".TP\n.B %s\n", row->name);
		roff_text(row->help);
	}
}

void manual_overview(const struct help_tables *tables)
{
	roff_title(NULL, "shows where transactional memory loses time, and because of which transactions");
	roff_section("SYNOPSIS");
	puts(".B stmlog\n.I COMMAND\n[\\fIARGUMENT\\fR...]");
	roff_section("DESCRIPTION");
	roff_paragraphs("stmlog is a profiler for memory transactions. 'stmlog record ./program' runs a program that "
			"was built with gcc -fgnu-tm or by GHC, or one that embeds the library, and writes a "
			"recording. The other commands read recordings.\n\n"
			"Each command has a page of its own. In place of a file, - is stdin or stdout.\n");
	roff_section("COMMANDS");
	for (const struct command *const *command = tables->commands; *command != NULL; command++) {
		printf(".TP\n.BR stmlog\\-%s (1)\n", (*command)->name);
		roff_text((*command)->summary);
	}
	roff_section("OPTIONS");
	for (const struct option_row *row = tables->general; row->name != NULL; row++)
		print_option(NULL, NULL, row);
	roff_section("EXIT STATUS");
	roff_text(tables->exit_status);
	print_environment();
	roff_section("FILES");
	puts(".TP\n.I stmlog.data");
	roff_text("the recording that record writes and report and export read, unless another FILE is named");
	puts(".TP\n.I stmlog.data.old");
	roff_text("the recording before");
	roff_section("SEE ALSO");
	for (const struct command *const *command = tables->commands; *command != NULL; command++)
		printf(".BR stmlog\\-%s (1),\n", (*command)->name);
	print_last_references();
}

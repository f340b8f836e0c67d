/* SPDX-License-Identifier: MIT
 * The command `stmlog`: its table of subcommands, and `help`, which shows the table, a command, or a page: there is
 * one for each word of the first screen, and one with the words of the reports. */
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stmlog/read.h>

#include "arguments.h"
#include "command.h"
#include "diag.h"
#include "manual.h"
#include "memory.h"
#include "output.h"

/* ---- pages of help that are no commands ---- */

enum { INDENT = 4, WIDTH = 78 };

/* Words from column INDENT on, in lines of at most WIDTH columns. */
static void print_words(const char *text)
{
	size_t column = 0;
	while (*text != '\0') {
		size_t len = strcspn(text, " ");
		if (column > 0 && column + 1 + len > WIDTH) {
			putchar('\n');
			column = 0;
		}
		column += (size_t)printf("%*s%.*s", column > 0 ? 1 : INDENT, "", (int)len, text);
		text += len + (text[len] == ' ');
	}
	putchar('\n');
}

static void print_part(const char *name, const char *text)
{
	printf("\n%s\n", name);
	print_words(text);
}

static const struct page {
	const char *name, *meaning, *figures, *mending;
} pages[] = {
#define HOW(id, name, meaning, figures, mending) {name, meaning, figures, mending},
#define DATA(id, name, meaning, figures, mending) {name, meaning, figures, mending},
#include "ranking.def"
};
enum { PAGES = sizeof pages / sizeof pages[0] };

static void print_page(const struct page *page)
{
	printf("%s\n\n", page->name);
	print_words(page->meaning);
	print_part("Figures", page->figures);
	print_part("How to mend it", page->mending);
}

/* The names of all pages, a few in a line, indented. */
static void list_pages(void)
{
	char names[PAGES * 24];
	size_t len = 0;
	for (size_t i = 0; i < PAGES && len < sizeof names; i++)
		len += (size_t)snprintf(names + len, sizeof names - len, "%s%s", i > 0 ? " " : "", pages[i].name);
	print_words(names);
}

static void print_terms(void)
{
	static const struct {
		const char *heading, *word, *first, *second;
	} terms[] = {
#define TERMS(heading) {heading, NULL, NULL, NULL},
#define TERM(word, first, second) {NULL, word, first, second},
#include "terms.def"
	};
	for (size_t i = 0; i < sizeof terms / sizeof terms[0]; i++) {
		if (terms[i].heading != NULL)
			printf("%s%s\n\n", i > 0 ? "\n" : "", terms[i].heading);
		else
			printf("  %s\n      %s\n      %s\n", terms[i].word, terms[i].first, terms[i].second);
	}
	printf("\nHow a transaction is in the way, and which words conflict: stmlog help WORD\n\n");
	list_pages();
}

/* Prints the page of a word, or of "terms". Returns false, and prints nothing, if there is none of this name. */
static bool pages_print(const char *name)
{
	if (strcmp(name, "terms") == 0) {
		print_terms();
		return true;
	}
	for (size_t i = 0; i < PAGES; i++) {
		if (strcmp(name, pages[i].name) == 0) {
			print_page(&pages[i]);
			return true;
		}
	}
	return false;
}

/* ---- commands ---- */

static const struct command cmd_help;
static const struct command *const commands[] = {&cmd_record, &cmd_report, &cmd_annotate, &cmd_export, &cmd_merge,
	&cmd_diff, &cmd_try, &cmd_check, &cmd_info, &cmd_anonymize, &cmd_help, NULL};

/* NULL: there is no command of this name. */
static const struct command *command_find(const char *name)
{
	for (const struct command *const *command = commands; *command != NULL; command++) {
		if (strcmp((*command)->name, name) == 0)
			return *command;
	}
	return NULL;
}

/* Options without a command. */
static const struct option_row general[] = {
	{"help", 'h', NULL, "list the commands"},
	{"version", 256, NULL, "print the version"},
	{0},
};

/* Prints that there is no command of this name. Returns the exit status. */
static int refuse(const char *subject, const char *name)
{
	bool is_option = name[0] == '-';
	if (removed_refuse(name, "", 0))
		return STATUS_UNUSABLE;
	const char *letters = name + strspn(name, "-");
	struct similar similar = similar_to(letters, strlen(letters));
	for (const struct command *const *command = commands; *command != NULL && !is_option; command++)
		similar_try(&similar, (*command)->name);
	for (const struct option_row *row = general; row->name != NULL && is_option; row++)
		similar_try(&similar, row->name);
	char *meant = similar.best[0] == '\0'
			      ? memory_text("")
			      : memory_format(" (did you mean '%s%s'?)", is_option ? "--" : "", similar.best);
	diag(subject, "unknown %s '%s'%s; 'stmlog help' lists the commands", is_option ? "option" : "command", name,
		meant);
	free(meant);
	return STATUS_UNUSABLE;
}

static const char exit_status[] =
	"0 done; 1 check found a violation, or diff a regression; 2 a mistake in the options,\n"
	"or input that cannot be read; 3 diff --strict could not decide.";

static void print_overview(void)
{
	struct printer out = text_printer(stdout);
	printer_text(&out, "usage: stmlog COMMAND [ARGUMENT...]\n\n"
			   "Shows where transactional memory loses time, and because of which other transactions.\n\n");
	for (const struct command *const *command = commands; *command != NULL; command++)
		printer_format(&out, "  %-9s  %s\n", (*command)->name, (*command)->summary);
	printer_format(&out,
		"\n'stmlog help COMMAND' explains a command; 'stmlog --version' prints the version.\n"
		"'stmlog help terms' explains the words of reports, 'stmlog help WORD' one of the first screen.\n"
		"Exit status: ");
	command_print_notes(&out, exit_status);
	printer_text(&out, "\n");
}

/* ---- help ---- */

enum { MAN = 256 };

/* Made for `make install`, and for people who want them without it. */
static const struct option_row help_options[] = {
	{"man", MAN, NULL, "print the manual page of COMMAND, or of stmlog, for man -l -"},
	{0},
};

static const struct help_tables tables = {commands, general, exit_status};

/* What follows the options of `help`: the overview, a command, or a page. */
static int explain(const char *name, bool as_manual)
{
	const struct command *command = name != NULL ? command_find(name) : NULL;
	if (name != NULL && command == NULL && !as_manual && pages_print(name))
		return diag_finish_stdout(STATUS_DONE);
	if (name != NULL && command == NULL)
		return refuse("help", name);
	if (as_manual && command != NULL)
		manual_command(&tables, command);
	else if (as_manual)
		manual_overview(&tables);
	else if (command != NULL)
		command_print_help(command);
	else
		print_overview();
	return diag_finish_stdout(STATUS_DONE);
}

static int help(const struct command *self, int argc, char **argv)
{
	struct arguments arguments = arguments_of(self, argc, argv);
	bool as_manual = false;
	int id;
	while ((id = arguments_next(&arguments)) != ARGUMENTS_END) {
		if (id == ARGUMENTS_STOP)
			return arguments.status;
		as_manual |= id == MAN;
	}
	return explain(arguments.first < argc ? argv[arguments.first] : NULL, as_manual);
}

static const struct command cmd_help = {
	.name = "help",
	.arguments = "[COMMAND|WORD|terms]",
	.summary = "explains the commands, and the words of reports",
	.options = help_options,
	.is_paged = true,
	.run = help,
};

/* ---- the call of a command ---- */

struct call {
	const struct command *command;
	int argc;
	char **argv;
	int status;
};

static void run_call(void *arg)
{
	struct call *call = arg;
	call->status = call->command->run(call->command, call->argc, call->argv);
}

int main(int argc, char **argv)
{
	setvbuf(stderr, NULL, _IOLBF, 0); /* a report on it takes a system call for each line, not for each word */
	if (argc < 2) {
		diag(NULL, "no command; 'stmlog help' lists them");
		return STATUS_UNUSABLE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("stmlog " STMLOG_VERSION);
		return diag_finish_stdout(STATUS_DONE);
	}
	const char *name = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ? "help" : argv[1];
	const struct command *command = command_find(name);
	if (command == NULL)
		return refuse(NULL, name);
	if (command->is_paged)
		pager_begin();
	struct call call = {command, argc - 1, argv + 1, STATUS_UNUSABLE};
	large_stack_call(run_call, &call);
	pager_end();
	return call.status;
}

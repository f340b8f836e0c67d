/* SPDX-License-Identifier: MIT
 * The manual pages: which sections a page has and what stands in them, and how plain text becomes the input of roff. */
#include "manual.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stmlog/read.h>

#include "check.h"

/* ---- plain text as roff ----
 * Escapes what roff would take for its own: backslashes, dashes that are to stay dashes, quotation marks, and a period
 * or quotation mark at the beginning of a line, where requests stand. */

enum { COLUMNS = 76 };

static const char *escape_of(char character)
{
	switch (character) {
	case '\\':
		return "\\e";
	case '-':
		return "\\-";
	case '\'':
		return "\\(aq";
	case '~':
		return "\\(ti";
	case '^':
		return "\\(ha";
	default:
		return NULL;
	}
}

void roff_word(const char *word, size_t len)
{
	REQUIRES(memchr(word, '\n', len) == NULL);
	for (size_t i = 0; i < len; i++) {
		const char *escape = escape_of(word[i]);
		if (escape != NULL)
			fputs(escape, stdout);
		else
			putchar(word[i]);
	}
}

/* How many columns the word takes in the input. */
static size_t columns_of(const char *word, size_t len)
{
	size_t columns = 0;
	for (size_t i = 0; i < len; i++) {
		const char *escape = escape_of(word[i]);
		columns += escape != NULL ? strlen(escape) : 1;
	}
	return columns;
}

/* Prints the words up to `end`, as many on a line as fit. */
static void print_words(const char *at, const char *end)
{
	size_t used = 0;
	for (;;) {
		while (at < end && isspace((unsigned char)*at))
			at++;
		if (at == end)
			break;
		const char *word = at;
		while (at < end && !isspace((unsigned char)*at))
			at++;
		size_t columns = columns_of(word, (size_t)(at - word));
		bool is_new_line = used == 0 || used + 1 + columns > COLUMNS;
		if (used != 0)
			putchar(is_new_line ? '\n' : ' ');
		if (is_new_line && *word == '.')
			fputs("\\&", stdout);
		roff_word(word, (size_t)(at - word));
		used = is_new_line ? columns : used + 1 + columns;
	}
	if (used != 0)
		putchar('\n');
}

void roff_text(const char *text)
{
	print_words(text, text + strlen(text));
}

/* Prints the lines at `at` that begin with a blank. Returns the line behind them. */
static const char *print_verbatim(const char *at)
{
	puts(".PP\n.EX");
	while (*at == ' ') {
		size_t len = strcspn(at, "\n");
		roff_word(at, len);
		putchar('\n');
		at += len + (at[len] == '\n');
	}
	puts(".EE");
	return at;
}

/* Whether the line at `at` goes on with the paragraph before it. */
static bool goes_on(const char *at, const char *exit_status)
{
	return *at != '\0' && *at != '\n' && *at != ' ' && strncmp(at, exit_status, strlen(exit_status)) != 0;
}

void roff_paragraphs(const char *text)
{
	static const char exit_status[] = "Exit status: ";
	bool is_first = true;
	for (const char *at = text; *at != '\0'; is_first = false) {
		const char *end = at;
		if (*at == '\n') {
			at++;
			continue;
		}
		if (*at == ' ') {
			at = print_verbatim(at);
			continue;
		}
		bool is_status = strncmp(at, exit_status, strlen(exit_status)) == 0;
		if (is_status)
			roff_section("EXIT STATUS");
		else if (!is_first)
			puts(".PP");
		if (is_status)
			at += strlen(exit_status);
		do
			end += strcspn(end, "\n") + 1;
		while (end[-1] == '\n' && goes_on(end, exit_status));
		print_words(at, end[-1] == '\n' ? end : end - 1);
		at = end[-1] == '\n' ? end : end - 1;
	}
}

void roff_section(const char *name)
{
	printf(".SH %s\n", name);
}

/* Seconds since 1970: now, unless the build is to give the same bytes each time. */
static time_t date(void)
{
	const char *fixed = getenv("SOURCE_DATE_EPOCH");
	return fixed != NULL && fixed[0] != '\0' ? (time_t)strtoll(fixed, NULL, 10) : time(NULL);
}

static void print_capitals(const char *text)
{
	for (; *text != '\0'; text++)
		putchar(toupper((unsigned char)*text));
}

void roff_title(const char *command, const char *summary)
{
	char day[16] = "";
	struct tm parts;
	time_t now = date();
	if (gmtime_r(&now, &parts) != NULL)
		strftime(day, sizeof day, "%Y-%m-%d", &parts);
	fputs(".\\\" Made by stmlog help --man.\n.TH STMLOG", stdout);
	fputs(command != NULL ? "\\-" : "", stdout);
	print_capitals(command != NULL ? command : "");
	printf(" 1 %s \"stmlog %s\" stmlog\n.nh\n.SH NAME\n", day, STMLOG_VERSION);
	printf("stmlog%s%s \\-\n", command != NULL ? "\\-" : "", command != NULL ? command : "");
	roff_text(summary);
}

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

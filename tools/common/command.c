/* SPDX-License-Identifier: MIT
 * The words of a command line: the help text of a subcommand, made of its table of options; the word that was probably
 * meant by a mistyped one; and the words that earlier versions had. */
#include "command.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "diag.h"
#include "output.h"

/* ---- options and help ---- */

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

/* ---- mistyped words ---- */

/* The distance between two words is the number of letters to change, leave out, insert, or exchange with their
 * neighbours: what happens when people type. */

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Sets row[i], for i from 1 to `len`, to the distance between a word up to its letter *a and the first i letters of
 * `b`. `above` and `two_above` are the rows for one and two letters less of the word; NULL: the word has no such part.
 */
static void fill_row(
	size_t *row, const size_t *above, const size_t *two_above, const char *a, const char *b, size_t len)
{
	for (size_t i = 1; i <= len; i++) {
		size_t changed = above[i - 1] + (*a != b[i - 1]);
		row[i] = smaller(smaller(row[i - 1], above[i]) + 1, changed);
		if (two_above != NULL && i > 1 && *a == b[i - 2] && a[-1] == b[i - 1])
			row[i] = smaller(row[i], two_above[i - 2] + 1);
	}
}

/* Requires that both have at most SIMILAR_LONGEST letters. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[SIMILAR_LONGEST + 1][SIMILAR_LONGEST + 1];
	REQUIRES(a_len <= SIMILAR_LONGEST && b_len <= SIMILAR_LONGEST);
	for (size_t i = 0; i <= b_len; i++)
		rows[0][i] = i;
	for (size_t i = 1; i <= a_len; i++) {
		rows[i][0] = i;
		fill_row(rows[i], rows[i - 1], i > 1 ? rows[i - 2] : NULL, &a[i - 1], b, b_len);
	}
	return rows[a_len][b_len];
}

struct similar similar_to(const char *typed, size_t len)
{
	return (struct similar){.typed = typed, .len = len};
}

void similar_try(struct similar *similar, const char *word)
{
	size_t len = strlen(word), limit = similar->len < 6 ? 1 : similar->len / 3;
	if (similar->len < 2 || similar->len > SIMILAR_LONGEST || len > SIMILAR_LONGEST)
		return;
	bool is_beginning = len > similar->len && strncmp(word, similar->typed, similar->len) == 0;
	size_t found = is_beginning ? 1 : distance(similar->typed, similar->len, word, len);
	if (found > limit || (similar->best[0] != '\0' && found >= similar->distance))
		return;
	memcpy(similar->best, word, len + 1);
	similar->distance = found;
}

/* ---- words of earlier versions ---- */

struct removed {
	const char *command, *word, *instead;
};

static const struct removed removed[] = {
#define REMOVED(command, word, instead) {command, word, instead},
#include "removed.def"
};

static bool is_removed(const struct removed *row, const char *command, const char *word, size_t len)
{
	return strcmp(row->command, command) == 0 && strlen(row->word) == len && memcmp(row->word, word, len) == 0;
}

bool removed_refuse(const char *command, const char *word, size_t len)
{
	for (const struct removed *row = removed; row < removed + sizeof removed / sizeof *removed; row++) {
		if (!is_removed(row, command, word, len))
			continue;
		if (len == 0)
			diag(NULL, "%s has been removed; %s", command, row->instead);
		else
			diag(command, "%s has been removed; %s", row->word, row->instead);
		return true;
	}
	return false;
}

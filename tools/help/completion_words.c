/* SPDX-License-Identifier: MIT
 * What the programs for all three shells have in common: what the tables say of words, and texts within quotes. */
#include "completion.h"

#include <stdio.h>
#include <string.h>

bool completion_is_path(const char *value)
{
	static const char *const paths[] = {"FILE", "OUT", "DIR", "OTHER"};
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		if (value != NULL && strcmp(value, paths[i]) == 0)
			return true;
	}
	return false;
}

bool completion_runs_program(const struct command *command)
{
	return strstr(command->arguments, "COMMAND [ARG") != NULL;
}

bool completion_takes_files(const struct command *command)
{
	return strstr(command->arguments, "FILE") != NULL || strstr(command->arguments, "OLD...") != NULL;
}

struct words {
	const char *between;
	size_t count;
};

static void print_word(void *arg, const char *word, const char *help)
{
	struct words *words = arg;
	(void)help;
	printf("%s%s", words->count++ > 0 ? words->between : "", word);
}

bool completion_words(const struct command *command, const struct option_row *row, const char *between)
{
	struct words words = {between, 0};
	command_each_choice(command, row, print_word, &words);
	return words.count > 0;
}

void completion_quoted(const char *text, const char *special)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else if (strchr(special, *text) != NULL)
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

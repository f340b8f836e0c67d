/* SPDX-License-Identifier: MIT
 * Puts words into quotation marks as POSIX shells read them. */
#include "quoted.h"

#include "check.h"

#include <stdbool.h>
#include <string.h>

#include "report_memory.h"

/* Whether all characters of the word are literal in every shell. */
static bool is_plain_word(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:+@%-=";
	return word[0] != '\0' && word[strspn(word, plain)] == '\0';
}

/* Returns `before` and the word within quotation marks. */
static char *within_marks(const char *before, const char *word)
{
	/* A quotation mark of the word becomes four characters. Two marks surround the text, and a NUL ends it. */
	char *quoted = memory_zeroed(strlen(before) + 4 * strlen(word) + 3, 1);
	size_t used = 0;
	quoted[used++] = '\'';
	for (; *before != '\0'; before++)
		quoted[used++] = *before;
	for (; *word != '\0'; word++) {
		/* A quotation mark ends the quoted text, is written behind a backslash, and begins the quoted text
		 * again. */
		for (const char *ended = *word == '\'' ? "'\\'" : ""; *ended != '\0'; ended++)
			quoted[used++] = *ended;
		quoted[used++] = *word;
	}
	quoted[used] = '\'';
	return quoted;
}

char *quoted_word(const char *word)
{
	if (word[0] == '-')
		return within_marks("./", word);
	return strchr(word, '=') == NULL && is_plain_word(word) ? memory_text(word) : within_marks("", word);
}

/* An argument of the user's program: unlike quoted_word(), it may begin with '-'. */
static char *quoted_argument(const char *argument)
{
	return is_plain_word(argument) ? memory_text(argument) : within_marks("", argument);
}

char *quoted_command(const char *const *words, size_t len)
{
	REQUIRES(len > 0);
	char *command = quoted_word(words[0]);
	for (size_t i = 1; i < len; i++) {
		char *argument = quoted_argument(words[i]), *longer = memory_format("%s %s", command, argument);
		memory_free(argument);
		memory_free(command);
		command = longer;
	}
	return command;
}

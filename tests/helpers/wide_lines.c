/* SPDX-License-Identifier: MIT
 * Prints the lines of stdin that take more than WIDTH columns of a terminal, and fails if there are any, or if a line
 * is not UTF-8. Escape sequences take no column. It counts by wcwidth(), which the command does not use. usage:
 * wide_lines WIDTH */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* Behind the escape sequence at `at`, if there is one: ESC [ ... letter, or ESC ] ... ESC \. */
static const char *skip_escape(const char *at)
{
	if (at[0] != '\033')
		return at;
	if (at[1] == ']') {
		const char *end = strstr(at, "\033\\");
		return end != NULL ? end + 2 : at + strlen(at);
	}
	at += 2;
	return at + strcspn(at, "@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~") + 1;
}

/* -1: no UTF-8, or a character without a width. */
static int columns_of(const char *line)
{
	int columns = 0;
	mbstate_t state = {0};
	while (*line != '\0' && *line != '\n') {
		wchar_t letter;
		if (*line == '\033') {
			line = skip_escape(line);
			continue;
		}
		size_t len = mbrtowc(&letter, line, strlen(line), &state);
		if (len > 4 || wcwidth(letter) < 0)
			return -1;
		columns += wcwidth(letter);
		line += len;
	}
	return columns;
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t cap = 0;
	int status = 0;
	if (argc != 2 || setlocale(LC_CTYPE, "C.UTF-8") == NULL)
		return 2;
	while (getline(&line, &cap, stdin) > 0) {
		int columns = columns_of(line);
		if (columns < 0 || columns > atoi(argv[1])) {
			printf("%d: %s", columns, line);
			status = 1;
		}
	}
	free(line);
	return status;
}

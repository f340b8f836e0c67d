/* SPDX-License-Identifier: MIT
 * Escapes what roff would take for its own: backslashes, dashes that are to stay dashes, quotation marks, and a period
 * or quotation mark at the beginning of a line, where requests stand. */
#include "manual.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stmlog/read.h>

#include "check.h"

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

/* SPDX-License-Identifier: MIT
 *
 * Why a table: each program has a few numbers of its own beside the common ones,
 * and all of them are refused in the same words.
 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_OPTIONS = 32 };

void options_refuse(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	exit(2);
}

static _Noreturn void show_help(const struct option_row *rows, size_t len)
{
	printf("usage: %s [OPTION]...\n", program_invocation_short_name);
	for (size_t i = 0; i < len; i++)
		printf("  --%s=N\t%s (%g to %g; %g)\n", rows[i].name, rows[i].help, rows[i].low, rows[i].high,
			*rows[i].value);
	exit(0);
}

static void read_number(const struct option_row *row, const char *text)
{
	char *end;
	double number = strtod(text, &end);
	/* Written so that a NaN fails too. */
	bool is_inside = number >= row->low && number <= row->high;
	if (end == text || *end != '\0' || !is_inside || (row->is_whole && number != floor(number)))
		options_refuse("--%s=%s: not %s from %.15g to %.15g", row->name, text,
			row->is_whole ? "an integer" : "a number", row->low, row->high);
	*row->value = number;
}

void options_parse(int argc, char **argv, const struct option_row *rows, size_t len)
{
	struct option options[MAX_OPTIONS + 2] = {{0}};
	if (len > MAX_OPTIONS)
		options_refuse("%zu options are too many", len);
	for (size_t i = 0; i < len; i++)
		options[i] = (struct option){rows[i].name, required_argument, NULL, (int)i};
	options[len] = (struct option){"help", no_argument, NULL, MAX_OPTIONS};
	for (;;) {
		int found = getopt_long(argc, argv, "", options, NULL);
		if (found == -1)
			break;
		if (found == '?')
			exit(2); /* getopt has printed the line */
		if (found == MAX_OPTIONS)
			show_help(rows, len);
		read_number(&rows[found], optarg);
	}
	if (optind < argc)
		options_refuse("%s: not an option", argv[optind]);
}

/* SPDX-License-Identifier: MIT
 *
 * The command line of a bench program: numbers in a table, one line and exit
 * status 2 for anything else.
 */
#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* Invariant: low <= *value <= high, before (the default) and after. */
struct option_row {
	const char *name;
	double *value;
	double low;
	double high;
	bool is_whole; /* only integers are accepted */
	const char *help;
};

/* Reads --NAME=NUMBER for each row, and --help. Exits on --help (0) and on bad input (2). */
void options_parse(int argc, char **argv, const struct option_row *rows, size_t len);

/* One line on stderr, "PROGRAM: ...", and exit status 2. */
_Noreturn void options_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

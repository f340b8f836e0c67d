/* SPDX-License-Identifier: MIT
 * The first screen of a report. */
#ifndef SCREEN_H
#define SCREEN_H

#include "ranking.h"

/* Prints what a user reads first, on at most SCREEN_LINES lines: a line about the run, where the threads' time went,
 * and the transactions in the way (ranking.h). */
enum { SCREEN_LINES = 24 };
void screen_print(const struct report *report);

/* Prints the screen on `lines` lines at most (12 at least), without the commands that show more. Returns how many. */
size_t screen_print_rows(const struct report *report, size_t lines);

/* ---- screen_account.c: where the threads' time went ---- */

/* Prints the sums, and a bar for each part of the time in which the threads had processors. Returns how many lines. */
size_t screen_print_account(const struct report *report, const struct ranking *ranking);

/* Lost time as a share of the time in which the threads had processors, in tenths of a percent. */
unsigned screen_lost_tenths(const struct report *report, const struct ranking *ranking);

/* The columns that a line may have: the width of the terminal, or as many as it needs if that is not known. */
size_t screen_limit(const struct report *report);

/* Prints a line, cut where it does not fit. Frees the text. */
void screen_print_line(const struct report *report, size_t indent, char *text);

/* ---- screen_warnings.c: how the program ended, and why figures may not be its own ---- */

enum { SCREEN_WARNINGS = 5 };

/* That a signal ended the program, that threads may not read the clock, that losses in hardware are not seen, that
 * threads were off the processors, and that recording has changed how often transactions abort. Each is one line of at
 * most 80 columns unless its numbers are unusually long; NULL: there is none. The caller frees them. */
struct screen_warnings {
	char *at[SCREEN_WARNINGS];
};
struct screen_warnings screen_warnings_of(const struct recording *recording);

#endif

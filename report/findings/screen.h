/* SPDX-License-Identifier: MIT
 * The first screen of a report. */
#ifndef SCREEN_H
#define SCREEN_H

#include "findings.h"
#include "report.h"

/* Prints what a user reads first: a line about the run, where the threads' time went, and the findings (findings.h). */
void screen_print(const struct report *report);

/* Prints the first screen on at most `lines` lines, at least 12, without the commands that show more. Returns how many
 * lines it has printed. */
size_t screen_print_findings(const struct report *report, size_t lines);

/* ---- screen_warnings.c: warnings above the first screen, why its figures may not be the program's own ---- */

enum { SCREEN_WARNINGS = 4 };

/* Four warnings: that threads may not read the clock, that losses in hardware are not seen, that threads were off the
 * processors, and that recording has changed how often transactions abort. Each is one line of at most 80 columns
 * unless its numbers are unusually long; NULL: there is none. The caller frees them. */
struct screen_warnings {
	char *at[SCREEN_WARNINGS];
};
struct screen_warnings screen_warnings_of(const struct recording *recording, const struct findings *findings);

#endif

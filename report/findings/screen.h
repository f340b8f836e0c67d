/* SPDX-License-Identifier: MIT
 * The first screen of a report. */
#ifndef SCREEN_H
#define SCREEN_H

#include "report.h"

/* Prints what a user reads first: a line about the run, where the threads' time went, and the findings (findings.h). */
void screen_print(const struct report *report);

/* Prints the first screen on at most `lines` lines, at least 12, without the commands that show more. Returns how many
 * lines it has printed. */
size_t screen_print_findings(const struct report *report, size_t lines);

#endif

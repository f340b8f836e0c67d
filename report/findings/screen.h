/* SPDX-License-Identifier: MIT
 * The first screen of a report. */
#ifndef SCREEN_H
#define SCREEN_H

#include "report.h"

/* What a user reads first: a head of one line, where the threads' time went, and what was found (findings.h). */
void screen_print(const struct report *report);

/* The same on at most `lines` lines, at least 12, without the commands that show more. Returns how many it has
 * printed. */
size_t screen_print_findings(const struct report *report, size_t lines);

#endif

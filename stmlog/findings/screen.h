/* SPDX-License-Identifier: MIT
 * The first screen of a report. */
#ifndef SCREEN_H
#define SCREEN_H

#include "report.h"

/* What a user reads first: a head of one line, where the threads' time went, and what was found (findings.h). */
void screen_print(const struct report *report);

#endif

/* SPDX-License-Identifier: MIT
 * Warnings above the first screen: why its figures may not be the program's own. */
#ifndef SCREEN_WARNINGS_H
#define SCREEN_WARNINGS_H

#include "findings.h"

enum { SCREEN_WARNINGS = 3 };

/* Three warnings: that threads may not read the clock, that they were off the processors, and that recording has
 * changed how often transactions abort. Each is one line of at most 80 columns unless its numbers are unusually long;
 * NULL: there is none. The caller frees them. */
struct screen_warnings {
	char *at[SCREEN_WARNINGS];
};
struct screen_warnings screen_warnings_of(const struct recording *recording, const struct findings *findings);

#endif

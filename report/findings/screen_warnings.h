/* SPDX-License-Identifier: MIT
 * Lines above the first screen that say why its figures may not be the program's own. */
#ifndef SCREEN_WARNINGS_H
#define SCREEN_WARNINGS_H

#include "findings.h"

enum { SCREEN_WARNINGS = 3 };

/* That threads may not read the clock, that they were off the processors, and that recording has changed how often
 * transactions abort. Each is one line of at most 80 columns, as far as numbers are usual; NULL: it does not hold. The
 * caller frees them. */
struct screen_warnings {
	char *at[SCREEN_WARNINGS];
};
struct screen_warnings screen_warnings_of(const struct recording *recording, const struct findings *findings);

#endif

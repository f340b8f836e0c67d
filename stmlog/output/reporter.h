/* SPDX-License-Identifier: MIT
 * The reporter of this process. The build chooses one of two sources: a program or library that the recorder is linked
 * into uses the reporter that is linked into it as well (reporter_linked.c); the preloaded agents load theirs
 * (reporter_loaded.c). */
#ifndef STMLOG_REPORTER_H
#define STMLOG_REPORTER_H

#include <stdbool.h>

#include "process_reporter.h"

/* Finds the reporter, and returns whether there is one. To be called while the session opens, if a report is wanted:
 * later the program may have given up its right to open files. */
bool reporter_find(void);

/* Returns the reporter. NULL: there is none, or reporter_find() was not called. */
const struct process_reporter *reporter_get(void);

#endif

/* SPDX-License-Identifier: MIT
 * Where the reporter of this process comes from. */
#ifndef STMLOG_REPORTER_H
#define STMLOG_REPORTER_H

#include "process_reporter.h"

/* NULL: there is none, so that this process cannot print a report of itself. */
const struct process_reporter *reporter_get(void);

#endif

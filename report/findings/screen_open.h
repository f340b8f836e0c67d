/* SPDX-License-Identifier: MIT
 * The first screen's lines about transactions and waits that are under way. */
#ifndef SCREEN_OPEN_H
#define SCREEN_OPEN_H

#include "report.h"

/* Prints the transactions and waits that have been open longest, in a full report all, on lines of this width. Returns
 * how many lines it has printed: 0 if the recording is not a snapshot, or nothing was under way. */
size_t screen_open_print(const struct report *report, size_t width);

#endif

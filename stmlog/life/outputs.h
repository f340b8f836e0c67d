/* SPDX-License-Identifier: MIT
 * The report and the file at the destinations of the options `report` and `out`. */
#ifndef STMLOG_OUTPUTS_H
#define STMLOG_OUTPUTS_H

#include <stdbool.h>

/* Reads the options, and remembers the current directory for relative paths. */
void outputs_read_options(void);

/* Whether a signal handler has interrupted the calling thread within the library, and is about to end the process: what
 * it has interrupted cannot be finished before. If so, says that nothing is written. */
bool outputs_are_barred(void);

/* Unless they are barred: makes the report and the file, if anything was recorded. Each failure is a line on stderr.
 * Any thread. */
void outputs_make(void);

/* In a forked child: a thread that was making outputs does not exist there. */
void outputs_forget(void);

#endif

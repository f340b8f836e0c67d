/* SPDX-License-Identifier: MIT
 * The report and the file at the destinations of the options `report` and `out`. */
#ifndef STMLOG_OUTPUTS_H
#define STMLOG_OUTPUTS_H

/* Reads the options, and remembers the current directory for relative paths. */
void outputs_read_options(void);

/* Makes the report and the file, if anything was recorded. Each failure is a line on stderr. Any thread. */
void outputs_make(void);

/* In a forked child: a thread that was making outputs does not exist there. */
void outputs_forget(void);

#endif

/* SPDX-License-Identifier: MIT
 * How far long work has come: a line on a terminal's stderr that is written over and goes away in the end. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct progress {
	FILE *to; /* NULL: nobody is looking */
	const char *what;
	size_t total;
	int percent; /* that is to be seen; -1: none yet */
};

/* Shows nothing if stderr is no terminal, or `out`, where the work's result goes, is one itself. */
struct progress progress_begin(const char *what, size_t total, FILE *out);

/* `progress` may be NULL. Writes only when there is another percent to be seen. */
void progress_step(struct progress *progress, size_t done);
void progress_end(struct progress *progress);

#endif

/* SPDX-License-Identifier: MIT
 * How far long work has come: a line on the terminal, at stderr, that is overwritten and disappears at the end. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct progress {
	FILE *to; /* NULL: nothing is shown */
	const char *what;
	size_t total;
	int percent; /* shown last; -1: none yet */
};

/* Shows nothing if stderr is no terminal, or if `out`, to which the work writes its result, is a terminal itself. `out`
 * is NULL if the work writes nothing before progress_end(). */
struct progress progress_begin(const char *what, size_t total, FILE *out);

/* `progress` may be NULL. Writes only when the percentage has changed. */
void progress_step(struct progress *progress, size_t done);
void progress_end(struct progress *progress);

#endif

/* SPDX-License-Identifier: MIT
 * All time by call path, for exports: a sample for each context of a recording (contexts.h), with several values. */
#ifndef EXPORT_TIME_H
#define EXPORT_TIME_H

#include <stdio.h>

#include "contexts.h"

/* The time is the sum of the values behind it. */
enum export_time_value {
	EXPORT_TIME_ENTRIES, /* commits, aborts, pauses and waits */
	EXPORT_TIME_ALL,
	EXPORT_TIME_COMMITTED,
	EXPORT_TIME_ABORTED,
	EXPORT_TIME_PAUSED,
	EXPORT_TIME_WAITING,
	EXPORT_TIME_VALUES
};

/* "entries", "time", "committed" and so on; "count" or "nanoseconds". */
const char *export_time_name(enum export_time_value value);
const char *export_time_unit(enum export_time_value value);

/* A value of a context, without those of the contexts below; at most INT64_MAX. */
int64_t export_time_of(const struct context *context, enum export_time_value value);

/* The frame of a context; that of the root and of the overflow has their names for a function. */
struct symbol_frame export_time_frame(const struct contexts *contexts, size_t context);

/* Stacks as text, the outermost frame first. */
struct export_time_stacks {
	const struct contexts *contexts;
	char separator;
	/* Returns the text of a frame, which the stacks free. Called once for equal frames. */
	char *(*text)(void *arg, const struct symbol_frame *frame);
	void *arg;
	/* Private; zeroed at first. */
	char **texts; /* by frame_id */
	size_t *stack, cap;
};

void export_time_write(struct export_time_stacks *stacks, FILE *out, size_t context);
void export_time_fini(struct export_time_stacks *stacks);

#endif

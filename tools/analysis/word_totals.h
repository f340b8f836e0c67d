/* SPDX-License-Identifier: MIT
 * For what tasks waited, in all: the suspensions of tasks and the touches, added up by the word that the program has
 * given with each (the primitive that made the task wait). */
#ifndef WORD_TOTALS_H
#define WORD_TOTALS_H

#include <stddef.h>
#include <stdint.h>

#include "recording.h"
#include "tasks.h"

struct word_total {
	const char *word; /* borrowed from the recording; NULL: none was given */
	uint8_t kind;     /* STMLOG_EVENT_TASK_SUSPEND or STMLOG_EVENT_TOUCH_PAUSE */
	uint64_t count;
	uint64_t time_ns; /* up to the resume; a wait without an end on record adds no time */
};

/* Invariant: totals have different words or kinds, longest first, and by kind and word where times are equal. */
struct word_totals {
	struct word_total *totals;
	size_t len, cap;
};

/* Requires tasks of this recording without a fault. Free with word_totals_fini(). */
struct word_totals word_totals_of(const struct recording *recording, const struct tasks *tasks);
void word_totals_fini(struct word_totals *totals);

/* The word of an event of a task; NULL: none. */
const char *word_of_event(const struct recording *recording, const struct stmlog_event_record *event);

#endif

/* SPDX-License-Identifier: MIT
 * A timeline as a whole: checks that its events fit together, and finds its tasks and regions. Everything that shows a
 * timeline begins here. */
#ifndef WORK_H
#define WORK_H

#include <stdbool.h>
#include <stddef.h>

#include "recording.h"
#include "regions.h"
#include "tasks.h"

struct work {
	struct tasks tasks;
	struct regions regions;
	size_t fault_at;   /* the index of the event at fault */
	const char *fault; /* a sentence without a period; NULL: none */
};

/* Returns false if the events contradict each other: then fault is set, and there are neither tasks nor regions. Call
 * work_fini() in any case. */
bool work_build(struct work *work, const struct recording *recording);
void work_fini(struct work *work);

/* "event 4, 'start' of thread 1: an attempt is under way already". Requires a fault. */
struct work_text {
	char text[256];
};
struct work_text work_fault(const struct work *work, const struct recording *recording);

/* Whether the timeline has any task or region. */
bool work_is_told(const struct recording *recording);

#endif

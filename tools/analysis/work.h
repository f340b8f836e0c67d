/* SPDX-License-Identifier: MIT
 * A timeline as a whole: that its events fit together, and what its tasks and regions are. Whoever shows a timeline
 * begins here. */
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
	size_t fault_at;
	const char *fault; /* a sentence without the full stop; NULL: none */
};

/* False: an event cannot be, by itself or with those before; then there are neither tasks nor regions. In any case call
 * work_fini(). */
bool work_build(struct work *work, const struct recording *recording);
void work_fini(struct work *work);

/* "event 4, 'start' of thread 1: an attempt is under way already". Requires a fault. */
struct work_text {
	char text[256];
};
struct work_text work_fault(const struct work *work, const struct recording *recording);

/* True if the program has told of any task or region. */
bool work_is_told(const struct recording *recording);

#endif

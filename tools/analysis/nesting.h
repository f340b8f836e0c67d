/* SPDX-License-Identifier: MIT
 * The spans about tasks that are open on a thread (the rows TASKS and TOUCHES of events.def). They tell what the thread
 * works on: the task of the innermost span, if that is work on a task or the handling of its operation. In a touch or a
 * block the thread waits. */
#ifndef NESTING_H
#define NESTING_H

#include <stdbool.h>
#include <stddef.h>

#include <stmlog/timeline.h>

struct nested {
	enum stmlog_span span;
	enum stmlog_row row;
	size_t task;      /* its ordinal */
	size_t operation; /* that is handled (tasks.h); else TASKS_NONE */
};

/* Innermost last. A zeroed one is empty. */
struct nesting {
	struct nested *spans;
	size_t len, cap;
};

static inline bool nesting_has(const struct stmlog_event_rule *rule)
{
	return rule->row == STMLOG_ROW_TASKS || rule->row == STMLOG_ROW_TOUCHES;
}

/* Opens a span. Requires nesting_has(rule). */
void nesting_open(struct nesting *nesting, const struct stmlog_event_rule *rule, size_t task, size_t operation);

/* Closes the innermost span of the row. There may be none, if its beginning is missing. */
void nesting_close(struct nesting *nesting, enum stmlog_row row);

/* The innermost span of the row; NULL: there is none. Borrowed, until the next change. */
const struct nested *nesting_innermost(const struct nesting *nesting, enum stmlog_row row);

/* The task that the thread works on; TASKS_NONE: on none. */
size_t nesting_task(const struct nesting *nesting);

void nesting_fini(struct nesting *nesting);

#endif

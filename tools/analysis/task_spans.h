/* SPDX-License-Identifier: MIT
 * The spans about tasks that are open on a thread (the rows TASKS and TOUCHES of events.def). They tell what the thread
 * works on: the task of the innermost span, if that is work on a task or the handling of its operation. In a touch or a
 * block the thread waits. */
#ifndef TASK_SPANS_H
#define TASK_SPANS_H

#include <stdbool.h>
#include <stddef.h>

#include <stmlog/timeline.h>

struct task_span {
	enum stmlog_span span;
	enum stmlog_row row;
	size_t task;      /* its ordinal */
	size_t operation; /* that is handled (tasks.h); else TASKS_NONE */
};

/* Innermost last. A zeroed one is empty. */
struct task_spans {
	struct task_span *spans;
	size_t len, cap;
};

static inline bool task_spans_has(const struct stmlog_event_rule *rule)
{
	return rule->row == STMLOG_ROW_TASKS || rule->row == STMLOG_ROW_TOUCHES;
}

/* Opens a span. Requires task_spans_has(rule). */
void task_spans_open(struct task_spans *spans, const struct stmlog_event_rule *rule, size_t task, size_t operation);

/* Closes the innermost span of the row. There may be none, if its beginning is missing. */
void task_spans_close(struct task_spans *spans, enum stmlog_row row);

/* The innermost span of the row; NULL: there is none. Borrowed, until the next change. */
const struct task_span *task_spans_innermost(const struct task_spans *spans, enum stmlog_row row);

/* The task that the thread works on; TASKS_NONE: on none. */
size_t task_spans_task(const struct task_spans *spans);

void task_spans_fini(struct task_spans *spans);

#endif

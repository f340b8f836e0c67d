/* SPDX-License-Identifier: MIT */
#include "task_spans.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "memory.h"
#include "tasks.h"

void task_spans_open(struct task_spans *spans, const struct stmlog_event_rule *rule, size_t task, size_t operation)
{
	REQUIRES(task_spans_has(rule));
	spans->spans = memory_grown(spans->spans, spans->len, &spans->cap, sizeof *spans->spans);
	spans->spans[spans->len++] = (struct task_span){rule->span, rule->row, task, operation};
}

/* 1 + the number of the row's innermost span; 0: there is none. */
static size_t find(const struct task_spans *spans, enum stmlog_row row)
{
	size_t len = spans->len;
	while (len > 0 && spans->spans[len - 1].row != row)
		len--;
	return len;
}

void task_spans_close(struct task_spans *spans, enum stmlog_row row)
{
	size_t len = find(spans, row);
	if (len == 0)
		return;
	memmove(&spans->spans[len - 1], &spans->spans[len], (spans->len - len) * sizeof *spans->spans);
	spans->len--;
}

const struct task_span *task_spans_innermost(const struct task_spans *spans, enum stmlog_row row)
{
	size_t len = find(spans, row);
	return len > 0 ? &spans->spans[len - 1] : NULL;
}

size_t task_spans_task(const struct task_spans *spans)
{
	const struct task_span *top = spans->len > 0 ? &spans->spans[spans->len - 1] : NULL;
	return top != NULL && top->row == STMLOG_ROW_TASKS ? top->task : TASKS_NONE;
}

void task_spans_fini(struct task_spans *spans)
{
	free(spans->spans);
	*spans = (struct task_spans){.len = 0};
}

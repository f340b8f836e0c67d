/* SPDX-License-Identifier: MIT */
#include "task_nest.h"

#include <string.h>

#include "check.h"
#include "mem.h"

enum { SPANS_MIN = 16 };

static bool grow(struct task_nest *nest)
{
	size_t cap = nest->cap != 0 ? 2 * nest->cap : SPANS_MIN;
	struct task_nest_span *spans = mem_alloc(cap * sizeof *spans);
	if (spans == NULL)
		return false;
	if (nest->len > 0)
		memcpy(spans, nest->spans, nest->len * sizeof *spans);
	mem_free(nest->spans, nest->cap * sizeof *spans);
	nest->spans = spans;
	nest->cap = cap;
	return true;
}

/* A thread that works on a task, or is blocked, does not do the same again before it has stopped or waits. */
static bool is_in_itself(const struct task_nest *nest, enum stmlog_span span)
{
	bool may_nest = span == STMLOG_SPAN_TOUCH || span == STMLOG_SPAN_HANDLE;
	return !may_nest && nest->beyond == 0 && nest->len > 0 && nest->spans[nest->len - 1].span == span;
}

static enum task_nest_answer open_span(struct task_nest *nest, const struct stmlog_event_rule *rule, uint64_t task)
{
	if (is_in_itself(nest, rule->span))
		return TASK_NEST_IN_ITSELF;
	if (nest->beyond > 0 || (nest->len == nest->cap && !grow(nest))) {
		nest->beyond++;
		return TASK_NEST_NO_MEMORY;
	}
	nest->spans[nest->len++] = (struct task_nest_span){task, rule->span, rule->row};
	return TASK_NEST_FITS;
}

static enum task_nest_answer close_span(struct task_nest *nest, const struct stmlog_event_rule *rule, uint64_t task)
{
	size_t len = nest->len;
	if (nest->beyond > 0) {
		nest->beyond--;
		return TASK_NEST_NO_MEMORY;
	}
	while (len > 0 && nest->spans[len - 1].row != rule->row)
		len--;
	if (len == 0)
		return TASK_NEST_SHUT;
	struct task_nest_span *innermost = &nest->spans[len - 1];
	if (innermost->span != rule->span || innermost->task != task)
		return TASK_NEST_ANOTHER;
	memmove(innermost, innermost + 1, (nest->len - len) * sizeof *innermost);
	nest->len--;
	return TASK_NEST_FITS;
}

enum task_nest_answer task_nest_apply(struct task_nest *nest, const struct stmlog_event_rule *rule, uint64_t task)
{
	REQUIRES(task_nest_has(rule));
	return rule->role == STMLOG_ROLE_OPENS ? open_span(nest, rule, task) : close_span(nest, rule, task);
}

void task_nest_fini(struct task_nest *nest)
{
	mem_free(nest->spans, nest->cap * sizeof *nest->spans);
	*nest = (struct task_nest){.len = 0};
}

/* SPDX-License-Identifier: MIT
 * Makes an array of the table in events.def, searches a thread's next event in a timeline, and opens and closes the
 * spans of a nest. */
#include "events.h"

#include <string.h>

#include "check.h"
#include "mem.h"

/* ROW_OF_id is the row of the span `id`: an event's line in events.def names its span, but not the row. */
enum {
#define STMLOG_SPAN(id, row, doc) ROW_OF_##id = STMLOG_ROW_##row,
#include <stmlog/events.def>
#undef STMLOG_SPAN
	ROW_OF_NONE = STMLOG_ROW_NONE
};

const struct stmlog_event_rule event_rules[STMLOG_EVENT_KINDS + 1] = {
#define STMLOG_EVENT(id, name, role, span, argument, doc) \
	[STMLOG_EVENT_##id] = {name, STMLOG_ROLE_##role, STMLOG_SPAN_##span, (enum stmlog_row)ROW_OF_##span, argument},
#include <stmlog/events.def>
#undef STMLOG_EVENT
	[STMLOG_EVENT_KINDS] = {"?", STMLOG_ROLE_ALONE, STMLOG_SPAN_NONE, STMLOG_ROW_NONE, ""},
};

const struct stmlog_event_rule *stmlog_event_rule_of(unsigned kind)
{
	return &event_rules[kind < STMLOG_EVENT_KINDS ? kind : STMLOG_EVENT_KINDS];
}

const char *stmlog_event_name(unsigned kind)
{
	return stmlog_event_rule_of(kind)->name;
}

unsigned event_detail_max(unsigned kind)
{
	REQUIRES(stmlog_event_has_value(kind));
	switch (kind) {
	case STMLOG_EVENT_TASK_START:
	case STMLOG_EVENT_TASK_RESUME:
		return STMLOG_WORK_AFTER_OVERFLOW;
	case STMLOG_EVENT_BLOCK_BEGIN:
		return STMLOG_BLOCK_OVERFLOW;
	case STMLOG_EVENT_HANDLE_END:
		return STMLOG_OUTCOME_ERROR;
	case STMLOG_EVENT_TASK_END:
	case STMLOG_EVENT_TOUCH_RESUME:
	case STMLOG_EVENT_BLOCK_END:
		return STMLOG_OUTCOME_ABANDONED;
	default:
		return 0;
	}
}

size_t stmlog_timeline_next_of(const struct stmlog_timeline *timeline, size_t index, uint32_t thread)
{
	if (timeline == NULL)
		return 0;
	while (index < timeline->len && timeline->events[index].thread != thread)
		index++;
	return index < timeline->len ? index : timeline->len;
}

/* ---- nests ---- */

enum { SPANS_MIN = 16 };

static bool nest_grow(struct task_nest *nest)
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

static enum task_nest_answer nest_open(struct task_nest *nest, const struct stmlog_event_rule *rule, uint64_t task)
{
	if (is_in_itself(nest, rule->span))
		return TASK_NEST_IN_ITSELF;
	if (nest->beyond > 0 || (nest->len == nest->cap && !nest_grow(nest))) {
		nest->beyond++;
		return TASK_NEST_NO_MEMORY;
	}
	nest->spans[nest->len++] = (struct task_nest_span){task, rule->span, rule->row};
	return TASK_NEST_FITS;
}

static enum task_nest_answer nest_close(struct task_nest *nest, const struct stmlog_event_rule *rule, uint64_t task)
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
	return rule->role == STMLOG_ROLE_OPENS ? nest_open(nest, rule, task) : nest_close(nest, rule, task);
}

void task_nest_fini(struct task_nest *nest)
{
	mem_free(nest->spans, nest->cap * sizeof *nest->spans);
	*nest = (struct task_nest){.len = 0};
}

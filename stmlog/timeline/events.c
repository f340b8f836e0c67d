/* SPDX-License-Identifier: MIT
 * Makes an array of the table in events.def, and searches a thread's next event in a timeline. */
#include "events.h"

#include "check.h"

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

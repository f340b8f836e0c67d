/* SPDX-License-Identifier: MIT */
#include "event.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include <stmlog/causes.h>

#include "memory.h"

_Static_assert(sizeof(struct stmlog_event_record) == sizeof(struct stmlog_event) &&
		       offsetof(struct stmlog_event_record, detail) == offsetof(struct stmlog_event, detail),
	"a file's events are the library's");

bool event_timeline_check(const struct recording *recording, struct stmlog_timeline_fault *fault)
{
	struct stmlog_timeline timeline = {
		.len = recording->event_count,
		.events = (const struct stmlog_event *)(const void *)recording->events,
		.place_count = recording->place_count,
	};
	return stmlog_timeline_check(&timeline, fault);
}

static const char *wait_name(unsigned what)
{
	static const char *const names[] = {
		[STMLOG_WAIT_FOR_SEGMENT] = "segment",
		[STMLOG_WAIT_FOR_OTHER] = "contention",
		[STMLOG_WAIT_FOR_SYNCHRONISATION] = "synchronisation",
		[STMLOG_WAIT_FOR_CHANGE] = "change",
	};
	return what < sizeof names / sizeof names[0] ? names[what] : "?";
}

static const char *work_name(unsigned work)
{
	return work == STMLOG_WORK_BOUND ? "bound" : work == STMLOG_WORK_AFTER_OVERFLOW ? "after-overflow" : NULL;
}

static const char *block_name(unsigned block)
{
	static const char *const names[] = {
		[STMLOG_BLOCK_OPERATION] = "operation",
		[STMLOG_BLOCK_DEFERRED] = "deferred",
		[STMLOG_BLOCK_TOUCH] = "touch",
		[STMLOG_BLOCK_OVERFLOW] = "overflow",
	};
	return block < sizeof names / sizeof names[0] ? names[block] : "?";
}

static const char *outcome_name(unsigned outcome)
{
	return outcome == STMLOG_OUTCOME_ERROR ? "error" : outcome == STMLOG_OUTCOME_ABANDONED ? "abandoned" : NULL;
}

const char *event_detail_name(const struct stmlog_event_record *event)
{
	switch (event->kind) {
	case STMLOG_EVENT_TASK_START:
	case STMLOG_EVENT_TASK_RESUME:
		return work_name(event->detail);
	case STMLOG_EVENT_BLOCK_BEGIN:
		return block_name(event->detail);
	case STMLOG_EVENT_TASK_END:
	case STMLOG_EVENT_TOUCH_RESUME:
	case STMLOG_EVENT_BLOCK_END:
	case STMLOG_EVENT_HANDLE_END:
		return outcome_name(event->detail);
	case STMLOG_EVENT_ABORT:
		return stmlog_grade_name(event->detail);
	case STMLOG_EVENT_WAIT_BEGIN:
		return wait_name(event->detail);
	case STMLOG_EVENT_CONTENTION:
		return stmlog_event_name(event->detail);
	default:
		return NULL;
	}
}

bool event_has_cause(const struct stmlog_event_record *event)
{
	return strcmp(stmlog_event_rule_of(event->kind)->argument, "object") == 0;
}

bool event_has_task(const struct stmlog_event_record *event)
{
	return stmlog_event_has_value(event->kind);
}

struct stmlog_place_record event_place(const struct recording *recording, const struct stmlog_event_record *event)
{
	bool has_place = event->kind != STMLOG_EVENT_MISSING && event->place < recording->place_count;
	return has_place ? recording->places[event->place] : (struct stmlog_place_record){0};
}

uint32_t event_other(const struct stmlog_event_record *event)
{
	return event->kind != STMLOG_EVENT_MISSING && !event_has_task(event) ? event->other : 0;
}

uint64_t event_value(const struct stmlog_event_record *event)
{
	return event_has_task(event) ? stmlog_event_value((const struct stmlog_event *)(const void *)event) : 0;
}

const char *event_word(const struct recording *recording, const struct stmlog_event_record *event)
{
	return recording_string(recording, event_place(recording, event).word);
}

char *event_task_text(const struct recording *recording, const struct stmlog_event_record *event)
{
	const char *detail = event_detail_name(event), *word = event_word(recording, event);
	uint64_t value = event_value(event);
	if (detail == NULL && word[0] == '\0' && value == 0)
		return NULL;
	char *text = memory_format(
		"%s%s%s", detail != NULL ? detail : "", detail != NULL && word[0] != '\0' ? ", " : "", word);
	if (value == 0)
		return text;
	char *whole = memory_format("%s%svalue %" PRIu64, text, text[0] != '\0' ? ", " : "", value);
	memory_free(text);
	return whole;
}

bool event_has_unknown_other(const struct stmlog_event_record *event)
{
	bool has_other = event->kind == STMLOG_EVENT_ABORT || event->kind == STMLOG_EVENT_WAIT_BEGIN;
	return has_other && event->contention != STMLOG_NONE && event->other == 0;
}

uint64_t event_latest_ns(const struct stmlog_event_record *event)
{
	if (event->kind != STMLOG_EVENT_MISSING)
		return event->time_ns;
	return event->time_ns + ((uint64_t)event->other << 32 | event->place);
}

uint64_t event_last_ns(const struct recording *recording)
{
	uint64_t last_ns = 0;
	for (size_t i = 0; i < recording->event_count; i++) {
		uint64_t ns = event_latest_ns(&recording->events[i]);
		last_ns = ns > last_ns ? ns : last_ns;
	}
	return last_ns;
}

/* SPDX-License-Identifier: MIT */
#include "event.h"

#include <stddef.h>
#include <string.h>

#include "cause.h"

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
	struct stmlog_timeline_fault unused;
	return stmlog_timeline_check(&timeline, fault != NULL ? fault : &unused);
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

const char *event_detail_name(const struct stmlog_event_record *event)
{
	switch (event->kind) {
	case STMLOG_EVENT_ABORT:
		return cause_grade_name(event->detail);
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
	return strcmp(stmlog_event_rule_of(event->kind)->argument, "task") == 0;
}

struct stmlog_place_record event_place(const struct recording *recording, const struct stmlog_event_record *event)
{
	bool has_place = event->kind != STMLOG_EVENT_MISSING && event->place < recording->place_count;
	return has_place ? recording->places[event->place] : (struct stmlog_place_record){0};
}

uint32_t event_other(const struct stmlog_event_record *event)
{
	return event->kind != STMLOG_EVENT_MISSING ? event->other : 0;
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

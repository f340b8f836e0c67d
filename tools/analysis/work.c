/* SPDX-License-Identifier: MIT */
#include "work.h"

#include <inttypes.h>
#include <stdio.h>

#include <stmlog/timeline.h>

#include "event.h"
#include "task_steps.h"

_Static_assert(sizeof(struct stmlog_event_record) == sizeof(struct stmlog_event) &&
		       offsetof(struct stmlog_event_record, detail) == offsetof(struct stmlog_event, detail),
	"a file's events are the library's");

static bool check_pairing(struct work *work, const struct recording *recording)
{
	struct stmlog_timeline timeline = {
		.len = recording->event_count,
		.events = (const struct stmlog_event *)(const void *)recording->events,
		.place_count = recording->place_count,
	};
	struct stmlog_timeline_fault fault;
	bool holds = stmlog_timeline_check(&timeline, &fault);
	work->fault_at = fault.index;
	work->fault = fault.what;
	return holds;
}

static bool fail(struct work *work, size_t at, const char *fault)
{
	work->fault_at = at;
	work->fault = fault;
	tasks_fini(&work->tasks);
	return false;
}

bool work_build(struct work *work, const struct recording *recording)
{
	*work = (struct work){.fault = NULL};
	if (!check_pairing(work, recording))
		return false;
	if (!tasks_build(&work->tasks, recording))
		return fail(work, work->tasks.fault_at, work->tasks.fault);
	if (!regions_build(&work->regions, recording, &work->tasks))
		return fail(work, work->regions.fault_at, work->regions.fault);
	return true;
}

void work_fini(struct work *work)
{
	tasks_fini(&work->tasks);
	regions_fini(&work->regions);
}

struct work_text work_fault(const struct work *work, const struct recording *recording)
{
	struct work_text text;
	const struct stmlog_event_record *event = &recording->events[work->fault_at];
	snprintf(text.text, sizeof text.text, "event %zu, '%s' of thread %" PRIu32 ": %s", work->fault_at,
		stmlog_event_name(event->kind), event->thread, work->fault);
	return text;
}

bool work_is_told(const struct recording *recording)
{
	for (size_t i = 0; i < recording->event_count; i++) {
		const struct stmlog_event_record *event = &recording->events[i];
		if (event_has_task(event) || stmlog_event_rule_of(event->kind)->span == STMLOG_SPAN_REGION)
			return true;
	}
	return false;
}

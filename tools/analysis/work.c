/* SPDX-License-Identifier: MIT */
#include "work.h"

#include <inttypes.h>
#include <stdio.h>

#include <stmlog/timeline.h>

#include "check.h"
#include "event.h"
#include "task_steps.h"

static bool fail(struct work *work, size_t at, const char *fault)
{
	work->fault_at = at;
	work->fault = fault;
	tasks_fini(&work->tasks);
	return false;
}

bool work_build(struct work *work, const struct recording *recording)
{
	struct stmlog_timeline_fault fault;
	*work = (struct work){.fault = NULL};
	if (!event_timeline_check(recording, &fault))
		return fail(work, fault.index, fault.what);
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
	REQUIRES(work->fault != NULL);
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

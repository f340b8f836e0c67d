/* SPDX-License-Identifier: MIT
 * Takes the events in the order of their times, those of equal times in an order that can be, and makes the work of
 * them. */
#include "work.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "event.h"
#include "memory.h"
#include "work_steps.h"

/* ---- the order of events ---- */

/* Events of one time that are not taken yet. */
struct tie {
	size_t *left;
	size_t len;
	size_t round; /* counted over all ties; the first is 1 */
};

static bool work_fail(struct work *work, size_t at, const char *fault)
{
	work_fini(work);
	work->fault_at = at;
	work->fault = fault;
	return false;
}

/* Takes each event that contradicts nothing. Leaves any other event, and all later ones of its thread, to the next
 * round. Returns the first that is left because it contradicts others, with why; WORK_NONE: there is none. */
static size_t work_take_round(struct steps *steps, struct tie *tie, const char **fault)
{
	size_t kept = 0, wrong = WORK_NONE;
	tie->round++;
	for (size_t i = 0; i < tie->len; i++) {
		struct steps_thread *thread = steps_thread(steps, tie->left[i]);
		bool is_held = thread->held_in == tie->round;
		const char *why = is_held ? NULL : steps_add(steps, tie->left[i]);
		if (!is_held && why == NULL)
			continue;
		thread->held_in = tie->round;
		if (why != NULL && wrong == WORK_NONE) {
			wrong = tie->left[i];
			*fault = why;
		}
		tie->left[kept++] = tie->left[i];
	}
	tie->len = kept;
	return wrong;
}

/* A limit, since a file may hold any number of events of one time. */
enum { ROUNDS_MAX = 64 };

/* Takes the events of one time, from `from` on. */
static bool work_take_tie(struct steps *steps, struct tie *tie, size_t from, size_t until)
{
	const char *fault = NULL;
	size_t wrong = from, before = SIZE_MAX;
	for (tie->len = 0; tie->len < until - from; tie->len++)
		tie->left[tie->len] = from + tie->len;
	for (size_t round = 0; round < ROUNDS_MAX && tie->len > 0 && tie->len < before; round++) {
		before = tie->len;
		wrong = work_take_round(steps, tie, &fault);
	}
	return tie->len == 0 || work_fail(steps->work, wrong, fault);
}

static bool work_take_all(struct steps *steps)
{
	const struct stmlog_event_record *events = steps->recording->events;
	size_t len = steps->recording->event_count;
	struct tie tie = {.left = memory_zeroed(len, sizeof(size_t))};
	bool holds = true;
	for (size_t from = 0, until; holds && from < len; from = until) {
		for (until = from + 1; until < len && events[until].time_ns == events[from].time_ns;)
			until++;
		holds = work_take_tie(steps, &tie, from, until);
	}
	free(tie.left);
	return holds;
}

/* ---- the whole ---- */

bool work_build(struct work *work, const struct recording *recording)
{
	struct stmlog_timeline_fault fault;
	struct steps steps;
	*work = (struct work){.fault = NULL};
	if (!event_timeline_check(recording, &fault))
		return work_fail(work, fault.index, fault.what);
	steps_init(&steps, work, recording);
	if (work_take_all(&steps)) {
		steps_finish(&steps);
		steps_build_graph(&steps);
		work_sum_regions(work);
	}
	steps_fini(&steps);
	return work->fault == NULL;
}

void work_fini(struct work *work)
{
	free(work->tasks);
	free(work->segments);
	free(work->children);
	free(work->waits);
	free(work->regions);
	free(work->tags);
	*work = (struct work){.fault = NULL};
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

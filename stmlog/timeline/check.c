/* SPDX-License-Identifier: MIT
 * Whether the events of a timeline fit together. Each thread is in a state of what is open on it; behind a gap
 * that is not known, until an event says it. */
#include <string.h>

#include "events.h"
#include "mem.h"

enum openness { SHUT, OPEN, EITHER };

/* What can be open on a thread, each at most once; regions nest. */
enum { IS_ATTACHED, IN_ATTEMPT, IN_WAIT, IN_TASK, IN_TOUCH, OPENINGS };

struct thread_state {
	uint32_t thread; /* 0: the slot is free */
	uint8_t open[OPENINGS];
	uint8_t led_to;      /* the last event was a contention, and this kind was to come of it; else 0 */
	bool has_any_region; /* regions may be open that were not seen */
	uint64_t regions;
	uint64_t task;    /* that is open */
	uint64_t touched; /* by the touch that is open */
};

/* By open addressing; size is a power of two, and at most half of it used. */
struct threads {
	struct thread_state *slots;
	size_t size;
	size_t used;
};

struct checker {
	const struct stmlog_timeline *timeline;
	struct threads threads;
};

/* ---- threads ---- */

static struct thread_state *slot_for(const struct threads *threads, uint32_t thread)
{
	size_t at = thread * UINT32_C(0x9e3779b1) & (threads->size - 1);
	while (threads->slots[at].thread != 0 && threads->slots[at].thread != thread)
		at = (at + 1) & (threads->size - 1);
	return &threads->slots[at];
}

static bool grow(struct threads *threads)
{
	struct threads more = {.size = threads->size != 0 ? 2 * threads->size : 64, .used = threads->used};
	more.slots = mem_take(more.size * sizeof *more.slots);
	if (more.slots == NULL)
		return false;
	for (size_t i = 0; i < threads->size; i++)
		if (threads->slots[i].thread != 0)
			*slot_for(&more, threads->slots[i].thread) = threads->slots[i];
	mem_give(threads->slots, threads->size * sizeof *threads->slots);
	*threads = more;
	return true;
}

static void know_nothing(struct thread_state *state)
{
	memset(state->open, EITHER, sizeof state->open);
	state->has_any_region = true;
	state->led_to = 0;
}

/* NULL without memory. */
static struct thread_state *state_of(struct checker *checker, uint32_t thread)
{
	struct threads *threads = &checker->threads;
	if (2 * (threads->used + 1) > threads->size && !grow(threads))
		return NULL;
	struct thread_state *state = slot_for(threads, thread);
	if (state->thread == 0) {
		state->thread = thread;
		threads->used++;
		if (checker->timeline->is_continued)
			know_nothing(state);
	}
	return state;
}

/* ---- rules: each returns what is broken, or NULL ---- */

/* Whether it may be open; and if so, it is. */
static bool may_be_open(struct thread_state *state, int opening)
{
	if (state->open[opening] == EITHER)
		state->open[opening] = OPEN;
	return state->open[opening] == OPEN;
}

static bool may_be_shut(struct thread_state *state, int opening)
{
	if (state->open[opening] == EITHER)
		state->open[opening] = SHUT;
	return state->open[opening] == SHUT;
}

static const char *open_it(struct thread_state *state, int opening, const char *fault)
{
	if (!may_be_shut(state, opening))
		return fault;
	state->open[opening] = OPEN;
	return NULL;
}

static const char *shut_it(struct thread_state *state, int opening, const char *fault)
{
	if (!may_be_open(state, opening))
		return fault;
	state->open[opening] = SHUT;
	return NULL;
}

/* With the number that goes with it: known only if its opening was seen. */
static const char *shut_numbered(struct thread_state *state, int opening, uint64_t opened, uint64_t shut,
	const char *not_open, const char *another)
{
	bool is_known = state->open[opening] == OPEN;
	const char *fault = shut_it(state, opening, not_open);
	if (fault != NULL)
		return fault;
	return is_known && opened != shut ? another : NULL;
}

static const char *attach(struct thread_state *state)
{
	const char *fault = open_it(state, IS_ATTACHED, "the thread is attached already");
	if (fault != NULL)
		return fault;
	uint32_t thread = state->thread;
	*state = (struct thread_state){.thread = thread};
	state->open[IS_ATTACHED] = OPEN;
	return NULL;
}

/* Closes all that is open. */
static const char *detach(struct thread_state *state)
{
	uint32_t thread = state->thread;
	*state = (struct thread_state){.thread = thread};
	return NULL;
}

static const char *end_attempt(struct thread_state *state)
{
	if (!may_be_shut(state, IN_WAIT))
		return "the attempt ends while the thread waits";
	return shut_it(state, IN_ATTEMPT, "no attempt is under way that it could end");
}

static const char *begin_task(struct thread_state *state, uint64_t task)
{
	state->task = task;
	return open_it(state, IN_TASK, "the thread works on a task already");
}

static const char *end_task(struct thread_state *state, uint64_t task)
{
	return shut_numbered(
		state, IN_TASK, state->task, task, "the thread works on no task", "the thread works on another task");
}

static const char *end_region(struct thread_state *state)
{
	if (state->regions == 0)
		return state->has_any_region ? NULL : "no region is open";
	state->regions--;
	return NULL;
}

static const char *apply(struct thread_state *state, const struct stmlog_event *event)
{
	switch ((enum stmlog_event_kind)event->kind) {
	case STMLOG_EVENT_ATTACH:
		return attach(state);
	case STMLOG_EVENT_DETACH:
		return detach(state);
	case STMLOG_EVENT_START:
		if (!may_be_shut(state, IN_WAIT))
			return "the attempt begins while the thread waits";
		return open_it(state, IN_ATTEMPT, "an attempt is under way already");
	case STMLOG_EVENT_COMMIT:
	case STMLOG_EVENT_ABORT:
		return end_attempt(state);
	case STMLOG_EVENT_ABORT_OTHER:
	case STMLOG_EVENT_INEVITABLE:
		return may_be_open(state, IN_ATTEMPT) ? NULL : "no attempt is under way";
	case STMLOG_EVENT_WAIT_BEGIN:
		return open_it(state, IN_WAIT, "the thread waits already");
	case STMLOG_EVENT_WAIT_END:
		return shut_it(state, IN_WAIT, "the thread does not wait");
	case STMLOG_EVENT_TASK_START:
	case STMLOG_EVENT_TASK_RESUME:
		return begin_task(state, event->argument);
	case STMLOG_EVENT_TASK_SUSPEND:
	case STMLOG_EVENT_TASK_END:
		return end_task(state, event->argument);
	case STMLOG_EVENT_TOUCH_PAUSE:
		state->touched = event->argument;
		return open_it(state, IN_TOUCH, "the thread waits for a task already");
	case STMLOG_EVENT_TOUCH_RESUME:
		return shut_numbered(state, IN_TOUCH, state->touched, event->argument, "the thread waits for no task",
			"the thread waits for another task");
	case STMLOG_EVENT_REGION_BEGIN:
		state->regions++;
		return NULL;
	case STMLOG_EVENT_REGION_END:
		return end_region(state);
	case STMLOG_EVENT_MISSING:
		state->regions = 0;
		know_nothing(state);
		return event->argument != 0 ? NULL : "a gap of no events";
	case STMLOG_EVENT_CONTENTION:
	case STMLOG_EVENT_TASK_CREATE:
	case STMLOG_EVENT_COUNTER:
	case STMLOG_EVENT_MARK:
	case STMLOG_EVENT_KINDS:
		break;
	}
	return NULL;
}

static bool resolves(unsigned kind)
{
	return kind == STMLOG_EVENT_ABORT || kind == STMLOG_EVENT_ABORT_OTHER || kind == STMLOG_EVENT_WAIT_BEGIN;
}

static const char *check_state(struct thread_state *state, const struct stmlog_event *event)
{
	bool is_bare = event->kind == STMLOG_EVENT_ATTACH || event->kind == STMLOG_EVENT_MISSING;
	if (!is_bare && !may_be_open(state, IS_ATTACHED))
		return "the thread is not attached";
	if (state->led_to != 0 && event->kind != state->led_to && event->kind != STMLOG_EVENT_MISSING)
		return "it is not what was to come of the contention before it";
	if (event->kind == STMLOG_EVENT_CONTENTION && !resolves(event->detail))
		return "nothing comes of the contention";
	state->led_to = event->kind == STMLOG_EVENT_CONTENTION ? event->detail : 0;
	return apply(state, event);
}

static const char *check_numbers(const struct stmlog_timeline *timeline, const struct stmlog_event *event)
{
	if (event->kind >= STMLOG_EVENT_KINDS)
		return "there is no such kind of event";
	if (event->thread == 0)
		return "it is nobody's";
	if (event->reason >= STMLOG_REASONS || event->contention >= STMLOG_CONTENTIONS)
		return "there is no such cause";
	if (event->kind != STMLOG_EVENT_MISSING && event->place >= timeline->place_count)
		return "there is no such place";
	return NULL;
}

static const char *check_event(struct checker *checker, size_t index)
{
	const struct stmlog_event *event = &checker->timeline->events[index];
	const char *fault = check_numbers(checker->timeline, event);
	if (fault != NULL)
		return fault;
	if (index > 0 && event->time_ns < event[-1].time_ns)
		return "it is earlier than the event before";
	struct thread_state *state = state_of(checker, event->thread);
	return state != NULL ? check_state(state, event) : "there is no memory to check it";
}

bool stmlog_timeline_check(const struct stmlog_timeline *timeline, struct stmlog_timeline_fault *fault)
{
	struct checker checker = {.timeline = timeline};
	size_t at = 0;
	*fault = (struct stmlog_timeline_fault){.what = NULL};
	while (at < timeline->len && (fault->what = check_event(&checker, at)) == NULL)
		at++;
	fault->index = at;
	mem_give(checker.threads.slots, checker.threads.size * sizeof *checker.threads.slots);
	return fault->what == NULL;
}

/* SPDX-License-Identifier: MIT
 * Checks that the events of a timeline fit together, by the rules of events.def. The check keeps, for each thread, the
 * spans that are open. After a gap (a MISSING event) it is not known whether a span is open, until an event shows
 * it. */
#include <string.h>

#include "events.h"
#include "mem.h"

enum openness { SHUT, OPEN, EITHER };

struct thread_state {
	uint32_t thread;            /* 0: the slot is free */
	uint8_t open[STMLOG_SPANS]; /* enum openness, of spans of which one at most is open; a gap is never open */
	uint8_t led_to;             /* the kind of event that must follow the CONTENTION before it; 0: any */
	bool has_any_beginning;     /* regions and spans about tasks may be open whose beginning was not recorded */
	uint64_t regions;           /* that are open */
	struct task_nest nest;      /* the spans about tasks that are open */
};

/* A hash table with open addressing: size is a power of two, and at most half of the slots are used. */
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
	more.slots = mem_alloc(more.size * sizeof *more.slots);
	if (more.slots == NULL)
		return false;
	for (size_t i = 0; i < threads->size; i++)
		if (threads->slots[i].thread != 0)
			*slot_for(&more, threads->slots[i].thread) = threads->slots[i];
	mem_free(threads->slots, threads->size * sizeof *threads->slots);
	*threads = more;
	return true;
}

static void free_threads(struct threads *threads)
{
	for (size_t i = 0; i < threads->size; i++)
		task_nest_fini(&threads->slots[i].nest);
	mem_free(threads->slots, threads->size * sizeof *threads->slots);
}

static void know_nothing(struct thread_state *state)
{
	memset(state->open, EITHER, sizeof state->open);
	task_nest_clear(&state->nest);
	state->regions = 0;
	state->has_any_beginning = true;
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

/* ---- rules: each returns a fault, or NULL ---- */

/* Whether the span may be as `wanted`. If that was not known, the span counts as such from here on. */
static bool may_be(struct thread_state *state, enum stmlog_span span, enum openness wanted)
{
	if (state->open[span] == EITHER)
		state->open[span] = (uint8_t)wanted;
	return state->open[span] == wanted;
}

/* The faults of beginning a span that is open, and of ending a span that is not. */
static const struct {
	const char *is_open, *is_shut;
} faults[STMLOG_SPANS] = {
	[STMLOG_SPAN_THREAD] = {"the thread is attached already", "the thread is not attached"},
	[STMLOG_SPAN_ATTEMPT] = {"an attempt is under way already", "no attempt is under way that it could end"},
	[STMLOG_SPAN_WAIT] = {"the thread waits already", "the thread does not wait"},
	[STMLOG_SPAN_TASK] = {"the thread works on a task already", "the thread works on no task"},
	[STMLOG_SPAN_TOUCH] = {NULL, "the thread waits for no task"},
	[STMLOG_SPAN_BLOCK] = {"the thread is blocked already", "the thread is not blocked"},
	[STMLOG_SPAN_HANDLE] = {NULL, "the thread handles no operation"},
};

static const char no_memory[] = "there is no memory to check it";

static const char *turn(struct thread_state *state, enum stmlog_span span, enum openness to)
{
	if (!may_be(state, span, to == OPEN ? SHUT : OPEN))
		return to == OPEN ? faults[span].is_open : faults[span].is_shut;
	state->open[span] = (uint8_t)to;
	return NULL;
}

/* The faults of ending another span of the nest than the innermost of its row. */
static const char *const faults_of_another[STMLOG_SPANS] = {
	[STMLOG_SPAN_TASK] = "the thread works on another task",
	[STMLOG_SPAN_TOUCH] = "the thread waits for another task",
	[STMLOG_SPAN_BLOCK] = "the thread is blocked for another task",
	[STMLOG_SPAN_HANDLE] = "the thread handles an operation of another task",
};

static const char *apply_to_nest(
	struct thread_state *state, const struct stmlog_event_rule *rule, const struct stmlog_event *event)
{
	switch (task_nest_apply(&state->nest, rule, event->argument)) {
	case TASK_NEST_IN_ITSELF:
		return faults[rule->span].is_open;
	case TASK_NEST_SHUT:
		return state->has_any_beginning ? NULL : faults[rule->span].is_shut;
	case TASK_NEST_ANOTHER:
		return faults_of_another[rule->span];
	case TASK_NEST_NO_MEMORY:
		return no_memory;
	case TASK_NEST_FITS:
		break;
	}
	return NULL;
}

static void close_all(struct thread_state *state)
{
	struct task_nest nest = state->nest;
	task_nest_clear(&nest);
	*state = (struct thread_state){.thread = state->thread, .nest = nest};
}

static const char *attach(struct thread_state *state)
{
	if (!may_be(state, STMLOG_SPAN_THREAD, SHUT))
		return faults[STMLOG_SPAN_THREAD].is_open;
	close_all(state);
	return turn(state, STMLOG_SPAN_THREAD, OPEN);
}

static const char *open_by(struct thread_state *state, enum stmlog_span span, const struct stmlog_event *event)
{
	switch (span) {
	case STMLOG_SPAN_THREAD:
		return attach(state);
	case STMLOG_SPAN_ATTEMPT:
		return may_be(state, STMLOG_SPAN_WAIT, SHUT) ? turn(state, span, OPEN)
							     : "the attempt begins while the thread waits";
	case STMLOG_SPAN_REGION:
		state->regions++;
		return NULL;
	case STMLOG_SPAN_GAP:
		know_nothing(state);
		return event->argument != 0 ? NULL : "a gap of no events";
	default:
		return turn(state, span, OPEN);
	}
}

static const char *end_region(struct thread_state *state)
{
	if (state->regions == 0)
		return state->has_any_beginning ? NULL : "no region is open";
	state->regions--;
	return NULL;
}

static const char *close_by(struct thread_state *state, enum stmlog_span span)
{
	switch (span) {
	case STMLOG_SPAN_THREAD:
		close_all(state);
		return NULL;
	case STMLOG_SPAN_ATTEMPT:
		return may_be(state, STMLOG_SPAN_WAIT, SHUT) ? turn(state, span, SHUT)
							     : "the attempt ends while the thread waits";
	case STMLOG_SPAN_REGION:
		return end_region(state);
	default:
		return turn(state, span, SHUT);
	}
}

static const char *apply(struct thread_state *state, const struct stmlog_event *event)
{
	const struct stmlog_event_rule *rule = &event_rules[event->kind];
	if (task_nest_has(rule))
		return apply_to_nest(state, rule, event);
	switch (rule->role) {
	case STMLOG_ROLE_OPENS:
		return open_by(state, rule->span, event);
	case STMLOG_ROLE_CLOSES:
		return close_by(state, rule->span);
	case STMLOG_ROLE_WITHIN:
		return may_be(state, rule->span, OPEN) ? NULL : "no attempt is under way";
	case STMLOG_ROLE_LEADS:
	case STMLOG_ROLE_ALONE:
		break;
	}
	return NULL;
}

static bool may_be_led_to(unsigned kind)
{
	return kind == STMLOG_EVENT_ABORT || kind == STMLOG_EVENT_ABORT_OTHER || kind == STMLOG_EVENT_WAIT_BEGIN;
}

static const char *check_state(struct thread_state *state, const struct stmlog_event *event)
{
	bool leads = event_rules[event->kind].role == STMLOG_ROLE_LEADS;
	bool is_bare = event->kind == STMLOG_EVENT_ATTACH || event->kind == STMLOG_EVENT_MISSING;
	if (!is_bare && !may_be(state, STMLOG_SPAN_THREAD, OPEN))
		return "the thread is not attached";
	if (state->led_to != 0 && event->kind != state->led_to && event->kind != STMLOG_EVENT_MISSING)
		return "it does not follow from the contention before it";
	if (leads && !may_be_led_to(event->detail))
		return "no such event can follow from a contention";
	state->led_to = leads ? event->detail : 0;
	return apply(state, event);
}

static const char *check_numbers(const struct stmlog_timeline *timeline, const struct stmlog_event *event)
{
	if (event->kind >= STMLOG_EVENT_KINDS)
		return "there is no such kind of event";
	if (event->thread == 0)
		return "it has no thread";
	bool has_value = stmlog_event_has_value(event->kind);
	if (has_value && event->detail > event_detail_max(event->kind))
		return "there is no such detail";
	if (!has_value && (event->reason >= STMLOG_REASONS || event->contention >= STMLOG_CONTENTIONS))
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
	return state != NULL ? check_state(state, event) : no_memory;
}

bool stmlog_timeline_check(const struct stmlog_timeline *timeline, struct stmlog_timeline_fault *fault)
{
	struct checker checker = {.timeline = timeline};
	size_t at = 0;
	*fault = (struct stmlog_timeline_fault){.what = NULL};
	while (timeline != NULL && at < timeline->len && (fault->what = check_event(&checker, at)) == NULL)
		at++;
	fault->index = at;
	free_threads(&checker.threads);
	return fault->what == NULL;
}

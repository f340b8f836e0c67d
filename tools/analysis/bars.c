/* SPDX-License-Identifier: MIT
 * Finds the lanes, then walks through the events twice: first to find the end of each bar and arrow, then to call the
 * sink. */
#include "bars.h"

#include <stdlib.h>

#include "event.h"
#include "memory.h"

/* ---- lanes ---- */

static const char *lane_name_of(const struct recording *recording, uint32_t thread)
{
	const struct stmlog_thread_record *found = recording_thread(recording, thread);
	return found != NULL ? recording_string(recording, found->name) : "";
}

static uint32_t system_id_of(const struct recording *recording, uint32_t thread)
{
	const struct stmlog_thread_record *found = recording_thread(recording, thread);
	return found != NULL ? found->system_id : 0;
}

static void number_lanes(const struct recording *recording, struct bar_lanes *lanes)
{
	struct ranks ids = {.len = 0};
	size_t known = 0;
	for (size_t i = 0; i < lanes->len; i++) {
		uint32_t id = system_id_of(recording, lanes->lanes[i].thread);
		known += id != 0;
		ranks_add(&ids, id);
	}
	ranks_sort(&ids);
	bool are_usable = known == lanes->len && ids.len == lanes->len;
	for (size_t i = 0; i < lanes->len; i++) {
		uint32_t thread = lanes->lanes[i].thread;
		lanes->lanes[i].tid = are_usable ? system_id_of(recording, thread) : thread;
	}
	ranks_fini(&ids);
}

struct bar_lanes bar_lanes_of(const struct recording *recording)
{
	struct bar_lanes lanes = {.len = 0};
	for (size_t i = 0; i < recording->event_count; i++) {
		const uint32_t threads[] = {recording->events[i].thread, event_other(&recording->events[i])};
		for (int k = 0; k < 2; k++)
			if (threads[k] != 0)
				ranks_add(&lanes.threads, threads[k]);
	}
	ranks_sort(&lanes.threads);
	lanes.len = lanes.threads.len;
	lanes.lanes = memory_zeroed(lanes.len, sizeof *lanes.lanes);
	for (size_t i = 0; i < lanes.len; i++) {
		uint32_t thread = (uint32_t)lanes.threads.numbers[i];
		lanes.lanes[i] = (struct bar_lane){.thread = thread, .name = lane_name_of(recording, thread)};
	}
	number_lanes(recording, &lanes);
	return lanes;
}

void bar_lanes_fini(struct bar_lanes *lanes)
{
	free(lanes->lanes);
	ranks_fini(&lanes->threads);
	*lanes = (struct bar_lanes){.len = 0};
}

size_t bar_lane_of(const struct bar_lanes *lanes, uint32_t thread)
{
	return ranks_find(&lanes->threads, thread);
}

/* ---- the walker ---- */

struct stack {
	struct bar *bars;
	size_t len, cap;
};

struct lane_state {
	struct stack rows[STMLOG_ROWS];
	size_t abort_other; /* the last abort-other aimed at this thread, whose attempt has not ended since; BAR_NONE */
};

/* Invariant: for an event that opens a bar, ends[i] is the event that closes it; for an abort-other, the abort that it
 * leads to; BAR_NONE: there is none, or it is not known yet. */
struct walker {
	const struct recording *recording;
	const struct bar_lanes *lanes;
	const struct bar_sink *sink;
	void *arg;
	size_t *ends;
	struct lane_state *states;
	uint64_t last_ns;
};

static const struct stmlog_event_record *event_at(const struct walker *walker, size_t index)
{
	return &walker->recording->events[index];
}

/* ---- bars ---- */

static uint64_t until_of(const struct walker *walker, size_t index)
{
	const struct stmlog_event_record *event = event_at(walker, index);
	uint64_t until_ns = walker->last_ns;
	if (event->kind == STMLOG_EVENT_MISSING)
		until_ns = event_latest_ns(event);
	else if (walker->ends[index] != BAR_NONE)
		until_ns = event_at(walker, walker->ends[index])->time_ns;
	return until_ns > event->time_ns ? until_ns : event->time_ns;
}

static void open_bar(struct walker *walker, size_t lane, enum stmlog_row row, size_t index)
{
	struct stack *stack = &walker->states[lane].rows[row];
	stack->bars = memory_grown(stack->bars, stack->len, &stack->cap, sizeof *stack->bars);
	struct bar *bar = &stack->bars[stack->len];
	*bar = (struct bar){
		.lane = lane,
		.row = row,
		.depth = stack->len++,
		.index = index,
		.closed_by = walker->ends[index],
		.from_ns = event_at(walker, index)->time_ns,
		.until_ns = until_of(walker, index),
	};
	if (walker->sink->open != NULL)
		walker->sink->open(walker->arg, bar);
}

/* A gap keeps the end that it has in itself. */
static void close_bar(struct walker *walker, struct stack *stack, size_t by)
{
	struct bar *bar = &stack->bars[--stack->len];
	if (event_at(walker, bar->index)->kind != STMLOG_EVENT_MISSING)
		walker->ends[bar->index] = bar->closed_by = by;
	if (walker->sink->close != NULL)
		walker->sink->close(walker->arg, bar);
}

static void close_row(struct walker *walker, struct stack *stack, size_t by)
{
	while (stack->len > 0)
		close_bar(walker, stack, by);
}

static void close_all(struct walker *walker, size_t lane, size_t by)
{
	for (int row = 0; row < STMLOG_ROWS; row++)
		close_row(walker, &walker->states[lane].rows[row], by);
}

static void close_gap(struct walker *walker, size_t lane)
{
	struct stack *stack = &walker->states[lane].rows[STMLOG_ROW_TRANSACTIONS];
	if (stack->len == 1 && event_at(walker, stack->bars[0].index)->kind == STMLOG_EVENT_MISSING)
		close_bar(walker, stack, BAR_NONE);
}

/* ---- points ---- */

static struct bar_point point_of(const struct walker *walker, size_t lane, size_t index)
{
	return (struct bar_point){.lane = lane, .index = index, .time_ns = event_at(walker, index)->time_ns};
}

static void call_sink(const struct walker *walker, const struct bar_point *point)
{
	if (walker->sink->point != NULL)
		walker->sink->point(walker->arg, point);
}

static void emit_point(struct walker *walker, size_t lane, size_t index)
{
	struct bar_point point = point_of(walker, lane, index);
	call_sink(walker, &point);
}

static void emit_abort_other(struct walker *walker, size_t lane, size_t index)
{
	size_t victim = bar_lane_of(walker->lanes, event_at(walker, index)->other);
	struct bar_point point = point_of(walker, lane, index);
	if (victim != BAR_NONE)
		walker->states[victim].abort_other = index;
	if (walker->ends[index] != BAR_NONE)
		point.arrow = (uint64_t)walker->ends[index] + 1;
	call_sink(walker, &point);
}

/* The culprit's abort-other for this abort; BAR_NONE: there is none. */
static size_t abort_other_of(const struct walker *walker, size_t victim, const struct stmlog_event_record *abort)
{
	size_t said = walker->states[victim].abort_other;
	bool is_same = said != BAR_NONE && event_at(walker, said)->thread == abort->other &&
		       abort->reason == STMLOG_ABORTED_BY_OTHER;
	return is_same ? said : BAR_NONE;
}

static void emit_abort(struct walker *walker, size_t lane, size_t index)
{
	const struct stmlog_event_record *abort = event_at(walker, index);
	struct bar_point point = point_of(walker, lane, index), begin = point;
	size_t said = abort_other_of(walker, lane, abort);
	point.arrow_lane = bar_lane_of(walker->lanes, event_other(abort));
	if (point.arrow_lane != BAR_NONE) {
		point.arrow = begin.arrow = (uint64_t)index + 1;
		point.is_arrow_end = begin.is_culprit = true;
		point.arrow_ns = said != BAR_NONE ? event_at(walker, said)->time_ns : abort->time_ns;
		begin.lane = point.arrow_lane;
	}
	if (said != BAR_NONE)
		walker->ends[said] = index;
	else if (point.is_arrow_end)
		call_sink(walker, &begin);
	call_sink(walker, &point);
}

/* ---- events ---- */

static void close_by(struct walker *walker, size_t lane, enum stmlog_row row, size_t index)
{
	struct stack *stack = &walker->states[lane].rows[row];
	bool is_abort = event_at(walker, index)->kind == STMLOG_EVENT_ABORT;
	if (is_abort)
		emit_abort(walker, lane, index);
	if (stack->len > 0)
		close_bar(walker, stack, index);
	else if (!is_abort)
		emit_point(walker, lane, index);
	if (is_abort || event_at(walker, index)->kind == STMLOG_EVENT_COMMIT)
		walker->states[lane].abort_other = BAR_NONE;
}

static void step(struct walker *walker, size_t index)
{
	const struct stmlog_event_record *event = event_at(walker, index);
	size_t lane = bar_lane_of(walker->lanes, event->thread);
	const struct stmlog_event_rule *rule = stmlog_event_rule_of(event->kind);
	if (lane == BAR_NONE)
		return;
	close_gap(walker, lane);
	if (event->kind == STMLOG_EVENT_MISSING || event->kind == STMLOG_EVENT_DETACH)
		close_all(walker, lane, index);
	bool is_drawn = rule->row != STMLOG_ROW_NONE;
	if (is_drawn && rule->role == STMLOG_ROLE_OPENS)
		open_bar(walker, lane, rule->row, index);
	else if (is_drawn && rule->role == STMLOG_ROLE_CLOSES)
		close_by(walker, lane, rule->row, index);
	else if (event->kind == STMLOG_EVENT_ABORT_OTHER)
		emit_abort_other(walker, lane, index);
	else
		emit_point(walker, lane, index);
}

static void walk(struct walker *walker, const struct bar_sink *sink, void *arg, struct progress *progress)
{
	walker->sink = sink;
	walker->arg = arg;
	for (size_t lane = 0; lane < walker->lanes->len; lane++)
		walker->states[lane].abort_other = BAR_NONE;
	for (size_t i = 0; i < walker->recording->event_count; i++) {
		step(walker, i);
		progress_step(progress, i);
	}
	for (size_t lane = 0; lane < walker->lanes->len; lane++)
		close_all(walker, lane, BAR_NONE);
}

void bars_walk(const struct recording *recording, const struct bar_lanes *lanes, const struct bar_sink *sink, void *arg,
	struct progress *progress)
{
	static const struct bar_sink nobody = {NULL, NULL, NULL};
	struct walker walker = {.recording = recording, .lanes = lanes, .last_ns = event_last_ns(recording)};
	walker.states = memory_zeroed(lanes->len, sizeof *walker.states);
	walker.ends = memory_zeroed(recording->event_count, sizeof *walker.ends);
	for (size_t i = 0; i < recording->event_count; i++)
		walker.ends[i] = BAR_NONE;
	walk(&walker, &nobody, NULL, NULL);
	walk(&walker, sink, arg, progress);
	for (size_t lane = 0; lane < lanes->len; lane++)
		for (int row = 0; row < STMLOG_ROWS; row++)
			free(walker.states[lane].rows[row].bars);
	free(walker.ends);
	free(walker.states);
}

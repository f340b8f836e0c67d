/* SPDX-License-Identifier: MIT
 * Makes the work of the events. Gives them to the steps in the order of their times, those of equal times in an
 * order that can be; then makes the graph of the segments, and tells the times of its paths. */
#include "work.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "event.h"
#include "memory.h"
#include "work_steps.h"

/* Events of one time that are not taken yet. */
struct tie {
	size_t *left;
	size_t len;
	size_t round; /* counted over all ties; the first is 1 */
};

/* Between two segments, by their numbers. */
struct edge {
	size_t from, to;
};

/* The graph while it is made. */
struct graph {
	struct work *work;
	const struct steps *steps;
	size_t *ordinals; /* of the steps' segments */
	struct edge *edges;
	size_t edge_count;
};

/* ---- the graph: segments in their order, and edges ---- */

/* Tasks, which had the ranks of their numbers, get their ordinals. */
static void graph_number_tasks(struct graph *graph)
{
	struct work *work = graph->work;
	const struct steps_task *tasks = graph->steps->tasks;
	size_t at = 0;
	for (size_t i = 0; i < work->task_count; i++) {
		struct task *task = &work->tasks[tasks[i].ordinal];
		*task = tasks[i].task;
		if (task->parent != WORK_NONE)
			task->parent = tasks[task->parent].ordinal;
	}
	for (size_t i = 0; i < work->task_count; i++) {
		work->tasks[i].first_segment = at;
		at += work->tasks[i].segment_count;
	}
	for (size_t i = 0; i < work->wait_count; i++)
		work->waits[i].task = tasks[work->waits[i].task].ordinal;
}

static void graph_order_segments(struct graph *graph)
{
	struct work *work = graph->work;
	const struct steps *steps = graph->steps;
	size_t *placed = memory_zeroed(work->task_count, sizeof *placed);
	for (size_t i = 0; i < steps->segment_count; i++) {
		const struct segment *segment = &steps->segments[i].segment;
		size_t task = steps->tasks[segment->task].ordinal;
		graph->ordinals[i] = work->tasks[task].first_segment + placed[task]++;
		work->segments[graph->ordinals[i]] = *segment;
		work->segments[graph->ordinals[i]].task = task;
	}
	free(placed);
}

static void graph_add_edge(struct graph *graph, size_t from, size_t to)
{
	graph->edges[graph->edge_count++] = (struct edge){from, to};
}

/* Whether the segment is not the last one of its task. */
static bool graph_has_next(const struct work *work, size_t segment)
{
	return segment + 1 < work->segment_count && work->segments[segment + 1].task == work->segments[segment].task;
}

static void graph_collect_edges(struct graph *graph)
{
	const struct steps *steps = graph->steps;
	const struct work *work = graph->work;
	for (size_t i = 0; i < steps->segment_count; i++)
		if (!steps->segments[i].is_bridged && graph_has_next(work, graph->ordinals[i]))
			graph_add_edge(graph, graph->ordinals[i], graph->ordinals[i] + 1);
	for (size_t i = 0; i < work->task_count; i++) {
		const struct task *task = &work->tasks[steps->tasks[i].ordinal];
		if (steps->tasks[i].creator != WORK_NONE && task->segment_count > 0)
			graph_add_edge(graph, graph->ordinals[steps->tasks[i].creator], task->first_segment);
	}
	for (size_t i = 0; i < steps->touch_count; i++) {
		size_t after = graph->ordinals[steps->touches[i].after];
		if (graph_has_next(work, after))
			graph_add_edge(graph, graph->ordinals[steps->touches[i].from], after + 1);
	}
}

static int compare_edges(const void *a, const void *b)
{
	const struct edge *left = a, *right = b;
	if (left->from != right->from)
		return left->from < right->from ? -1 : 1;
	return left->to < right->to ? -1 : left->to > right->to;
}

static void graph_set_children(struct graph *graph)
{
	struct work *work = graph->work;
	size_t len = 0;
	qsort(graph->edges, graph->edge_count, sizeof *graph->edges, compare_edges);
	work->children = memory_zeroed(graph->edge_count, sizeof *work->children);
	for (size_t i = 0; i < graph->edge_count; i++) {
		const struct edge *edge = &graph->edges[i];
		if (i > 0 && compare_edges(edge - 1, edge) == 0)
			continue;
		struct segment *segment = &work->segments[edge->from];
		if (segment->child_count++ == 0)
			segment->children = &work->children[len];
		work->children[len++] = edge->to;
	}
}

/* Makes the segments and their children. */
static void steps_build_graph(struct steps *steps)
{
	struct work *work = steps->work;
	size_t edges = steps->segment_count + steps->numbers.len + steps->touch_count;
	work->task_count = steps->numbers.len;
	work->segment_count = steps->segment_count;
	work->tasks = memory_zeroed(work->task_count, sizeof *work->tasks);
	work->segments = memory_zeroed(work->segment_count, sizeof *work->segments);
	struct graph graph = {work, steps, memory_zeroed(steps->segment_count, sizeof(size_t)),
		memory_zeroed(edges, sizeof(struct edge)), 0};
	graph_number_tasks(&graph);
	graph_order_segments(&graph);
	graph_collect_edges(&graph);
	graph_set_children(&graph);
	free(graph.ordinals);
	free(graph.edges);
}

/* ---- times of paths ---- */

static uint64_t segment_ns(const struct segment *segment)
{
	return segment->until_ns - segment->from_ns;
}

uint64_t work_time_ns(const struct work *work)
{
	uint64_t time_ns = 0;
	for (size_t i = 0; i < work->segment_count; i++)
		time_ns += segment_ns(&work->segments[i]);
	return time_ns;
}

/* For each segment, the number of segments with an edge to it. */
static size_t *count_parents(const struct work *work)
{
	size_t *parents = memory_zeroed(work->segment_count, sizeof *parents);
	for (size_t i = 0; i < work->segment_count; i++)
		for (size_t k = 0; k < work->segments[i].child_count; k++)
			parents[work->segments[i].children[k]]++;
	return parents;
}

/* Takes a segment when all those with an edge to it are taken. */
uint64_t *work_earliest_ns(const struct work *work)
{
	uint64_t *earliest_ns = memory_zeroed(work->segment_count, sizeof *earliest_ns);
	size_t *parents = count_parents(work), *order = memory_zeroed(work->segment_count, sizeof *order), len = 0;
	for (size_t i = 0; i < work->segment_count; i++)
		if (parents[i] == 0)
			order[len++] = i;
	for (size_t at = 0; at < len; at++) {
		const struct segment *segment = &work->segments[order[at]];
		uint64_t until_ns = earliest_ns[order[at]] + segment_ns(segment);
		for (size_t k = 0; k < segment->child_count; k++) {
			size_t child = segment->children[k];
			earliest_ns[child] = until_ns > earliest_ns[child] ? until_ns : earliest_ns[child];
			if (--parents[child] == 0)
				order[len++] = child;
		}
	}
	free(parents);
	free(order);
	return earliest_ns;
}

uint64_t work_longest_ns(const struct work *work)
{
	uint64_t longest_ns = 0, *earliest_ns = work_earliest_ns(work);
	for (size_t i = 0; i < work->segment_count; i++) {
		uint64_t until_ns = earliest_ns[i] + segment_ns(&work->segments[i]);
		longest_ns = until_ns > longest_ns ? until_ns : longest_ns;
	}
	free(earliest_ns);
	return longest_ns;
}

/* ---- the order of events ---- */

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

/* Ends the segments that are still open. Called after the last event. */
static void steps_finish(struct steps *steps)
{
	size_t len = steps->recording->event_count;
	for (size_t i = 0; i < steps->segment_count; i++) {
		struct segment *segment = &steps->segments[i].segment;
		if (segment->end == WORK_NONE)
			segment->until_ns = steps->recording->events[len - 1].time_ns;
	}
	for (size_t i = 0; i < steps->thread_ids.len; i++)
		steps_stop_worker(steps, &steps->threads[i]);
}

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

/* SPDX-License-Identifier: MIT
 * Makes the graph of the segments that task_steps.c has found. Events are taken in the order of their times. Events of
 * equal times, as a coarse clock gives them, are taken in an order in which none contradicts those before it, if there
 * is one. */
#include "tasks.h"

#include <stdlib.h>

#include <stmlog/timeline.h>

#include "check.h"
#include "event.h"
#include "memory.h"
#include "task_steps.h"

/* ---- the order of events ---- */

struct orderer {
	struct task_steps *steps;
	size_t *order; /* NULL: up to now that of the recording */
	size_t len;
	size_t round; /* counted over all ties; the first is 1 */
	size_t fault_at;
	const char *fault;
};

static void append(struct orderer *orderer, size_t index)
{
	if (orderer->order == NULL && index != orderer->len) {
		orderer->order = memory_zeroed(orderer->steps->recording->event_count, sizeof *orderer->order);
		for (size_t i = 0; i < orderer->len; i++)
			orderer->order[i] = i;
	}
	if (orderer->order != NULL)
		orderer->order[orderer->len] = index;
	orderer->len++;
}

/* Events of one time that are not in the order yet. */
struct tie {
	size_t *left;
	size_t len;
};

/* Appends each event that contradicts nothing to the order. Leaves any other event, and all later ones of its thread,
 * to the next round. Returns false if no event could be appended. */
static bool order_round(struct orderer *orderer, struct tie *tie)
{
	size_t kept = 0, len = tie->len;
	orderer->round++;
	orderer->fault = NULL;
	for (size_t i = 0; i < len; i++) {
		struct task_steps_thread *thread = task_steps_thread(orderer->steps, tie->left[i]);
		bool is_held = thread->held_in == orderer->round;
		const char *fault = is_held ? NULL : task_steps_add(orderer->steps, tie->left[i]);
		if (!is_held && fault == NULL) {
			append(orderer, tie->left[i]);
			continue;
		}
		thread->held_in = orderer->round;
		if (orderer->fault == NULL) {
			orderer->fault = fault;
			orderer->fault_at = tie->left[i];
		}
		tie->left[kept++] = tie->left[i];
	}
	tie->len = kept;
	return kept < len;
}

/* A limit, since a file may hold any number of events of one time. */
enum { ROUNDS_MAX = 64 };

static bool order_tie(struct orderer *orderer, size_t from, size_t until)
{
	struct tie tie = {memory_zeroed(until - from, sizeof *tie.left), until - from};
	size_t rounds = 0;
	for (size_t i = 0; i < tie.len; i++)
		tie.left[i] = from + i;
	while (tie.len > 0 && rounds++ < ROUNDS_MAX && order_round(orderer, &tie))
		;
	free(tie.left);
	return orderer->fault == NULL;
}

static bool order_event(struct orderer *orderer, size_t index)
{
	orderer->fault_at = index;
	orderer->fault = task_steps_add(orderer->steps, index);
	if (orderer->fault == NULL)
		append(orderer, index);
	return orderer->fault == NULL;
}

static bool order_all(struct orderer *orderer)
{
	const struct recording *recording = orderer->steps->recording;
	bool holds = true;
	for (size_t from = 0, until; holds && from < recording->event_count; from = until) {
		until = from + 1;
		while (until < recording->event_count &&
			recording->events[until].time_ns == recording->events[from].time_ns)
			until++;
		holds = until - from == 1 ? order_event(orderer, from) : order_tie(orderer, from, until);
	}
	return holds;
}

/* ---- the graph: segments in their order, and edges ---- */

struct edge {
	size_t from, to;
};

struct graph {
	struct tasks *tasks;
	const struct task_steps *steps;
	size_t *ordinals; /* of the steps' segments */
	struct edge *edges;
	size_t edge_count;
};

static void order_segments(struct graph *graph)
{
	struct tasks *tasks = graph->tasks;
	const struct task_steps *steps = graph->steps;
	size_t *next = memory_zeroed(tasks->len, sizeof *next);
	size_t at = 0;
	for (size_t i = 0; i < tasks->len; i++) {
		tasks->tasks[i] = steps->tasks[i].task;
		tasks->tasks[i].first_segment = next[i] = at;
		at += tasks->tasks[i].segment_count;
	}
	for (size_t i = 0; i < steps->segment_count; i++) {
		graph->ordinals[i] = next[steps->segments[i].segment.task]++;
		tasks->segments[graph->ordinals[i]] = steps->segments[i].segment;
	}
	free(next);
}

static void add_edge(struct graph *graph, size_t from, size_t to)
{
	graph->edges[graph->edge_count++] = (struct edge){from, to};
}

/* Whether the segment is not the last one of its task. */
static bool has_next(const struct tasks *tasks, size_t segment)
{
	return segment + 1 < tasks->segment_count && tasks->segments[segment + 1].task == tasks->segments[segment].task;
}

static void collect_edges(struct graph *graph)
{
	const struct task_steps *steps = graph->steps;
	const struct tasks *tasks = graph->tasks;
	for (size_t i = 0; i < steps->segment_count; i++)
		if (!steps->segments[i].is_bridged && has_next(tasks, graph->ordinals[i]))
			add_edge(graph, graph->ordinals[i], graph->ordinals[i] + 1);
	for (size_t i = 0; i < tasks->len; i++)
		if (steps->tasks[i].creator != TASKS_NONE && tasks->tasks[i].segment_count > 0)
			add_edge(graph, graph->ordinals[steps->tasks[i].creator], tasks->tasks[i].first_segment);
	for (size_t i = 0; i < steps->touch_count; i++) {
		size_t after = graph->ordinals[steps->touches[i].after];
		if (has_next(tasks, after))
			add_edge(graph, graph->ordinals[steps->touches[i].from], after + 1);
	}
}

static int compare_edges(const void *a, const void *b)
{
	const struct edge *left = a, *right = b;
	if (left->from != right->from)
		return left->from < right->from ? -1 : 1;
	return left->to < right->to ? -1 : left->to > right->to;
}

static void set_children(struct graph *graph)
{
	struct tasks *tasks = graph->tasks;
	size_t len = 0;
	qsort(graph->edges, graph->edge_count, sizeof *graph->edges, compare_edges);
	tasks->children = memory_zeroed(graph->edge_count, sizeof *tasks->children);
	for (size_t i = 0; i < graph->edge_count; i++) {
		const struct edge *edge = &graph->edges[i];
		if (i > 0 && compare_edges(edge - 1, edge) == 0)
			continue;
		struct segment *segment = &tasks->segments[edge->from];
		if (segment->child_count++ == 0)
			segment->children = &tasks->children[len];
		tasks->children[len++] = edge->to;
	}
}

static void build_graph(struct tasks *tasks, struct task_steps *steps)
{
	size_t edges = steps->segment_count + steps->task_count + steps->touch_count;
	tasks->len = steps->task_count;
	tasks->segment_count = steps->segment_count;
	tasks->tasks = memory_zeroed(tasks->len, sizeof *tasks->tasks);
	tasks->segments = memory_zeroed(tasks->segment_count, sizeof *tasks->segments);
	struct graph graph = {tasks, steps, memory_zeroed(steps->segment_count, sizeof(size_t)),
		memory_zeroed(edges, sizeof(struct edge)), 0};
	tasks->operations = steps->operations;
	tasks->operation_count = steps->operation_count;
	steps->operations = NULL;
	order_segments(&graph);
	collect_edges(&graph);
	set_children(&graph);
	free(graph.ordinals);
	free(graph.edges);
}

bool tasks_build(struct tasks *tasks, const struct recording *recording)
{
	struct task_steps steps;
	struct orderer orderer = {.steps = &steps};
	REQUIRES(event_timeline_check(recording, NULL));
	*tasks = (struct tasks){.len = 0};
	task_steps_init(&steps, recording);
	if (order_all(&orderer)) {
		task_steps_finish(&steps);
		build_graph(tasks, &steps);
		tasks->order = orderer.order;
	} else {
		tasks->fault_at = orderer.fault_at;
		tasks->fault = orderer.fault;
		free(orderer.order);
	}
	task_steps_fini(&steps);
	return tasks->fault == NULL;
}

void tasks_fini(struct tasks *tasks)
{
	free(tasks->tasks);
	free(tasks->segments);
	free(tasks->children);
	free(tasks->operations);
	free(tasks->order);
	*tasks = (struct tasks){.len = 0};
}

/* ---- times ---- */

static uint64_t length_ns(const struct segment *segment)
{
	return segment->until_ns - segment->from_ns;
}

uint64_t tasks_time_ns(const struct tasks *tasks)
{
	uint64_t time_ns = 0;
	for (size_t i = 0; i < tasks->segment_count; i++)
		time_ns += length_ns(&tasks->segments[i]);
	return time_ns;
}

/* For each segment, the number of segments with an edge to it. */
static size_t *count_parents(const struct tasks *tasks)
{
	size_t *parents = memory_zeroed(tasks->segment_count, sizeof *parents);
	for (size_t i = 0; i < tasks->segment_count; i++)
		for (size_t k = 0; k < tasks->segments[i].child_count; k++)
			parents[tasks->segments[i].children[k]]++;
	return parents;
}

size_t *tasks_in_order(const struct tasks *tasks)
{
	size_t *parents = count_parents(tasks), *order = memory_zeroed(tasks->segment_count, sizeof *order);
	size_t len = 0;
	for (size_t i = 0; i < tasks->segment_count; i++)
		if (parents[i] == 0)
			order[len++] = i;
	for (size_t at = 0; at < len; at++) {
		const struct segment *segment = &tasks->segments[order[at]];
		for (size_t k = 0; k < segment->child_count; k++)
			if (--parents[segment->children[k]] == 0)
				order[len++] = segment->children[k];
	}
	free(parents);
	return order;
}

uint64_t *tasks_earliest_ns(const struct tasks *tasks)
{
	uint64_t *earliest_ns = memory_zeroed(tasks->segment_count, sizeof *earliest_ns);
	size_t *order = tasks_in_order(tasks);
	for (size_t i = 0; i < tasks->segment_count; i++) {
		const struct segment *segment = &tasks->segments[order[i]];
		uint64_t until_ns = earliest_ns[order[i]] + length_ns(segment);
		for (size_t k = 0; k < segment->child_count; k++) {
			uint64_t *child_ns = &earliest_ns[segment->children[k]];
			*child_ns = until_ns > *child_ns ? until_ns : *child_ns;
		}
	}
	free(order);
	return earliest_ns;
}

uint64_t tasks_longest_ns(const struct tasks *tasks)
{
	uint64_t longest_ns = 0, *earliest_ns = tasks_earliest_ns(tasks);
	for (size_t i = 0; i < tasks->segment_count; i++) {
		uint64_t until_ns = earliest_ns[i] + length_ns(&tasks->segments[i]);
		longest_ns = until_ns > longest_ns ? until_ns : longest_ns;
	}
	free(earliest_ns);
	return longest_ns;
}

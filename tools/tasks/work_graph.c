/* SPDX-License-Identifier: MIT
 * The graph of the segments, and the times of its paths. */
#include <stdlib.h>

#include "memory.h"
#include "work_steps.h"

/* ---- segments in their order, and edges ---- */

struct edge {
	size_t from, to;
};

struct graph {
	struct work *work;
	const struct steps *steps;
	size_t *ordinals; /* of the steps' segments */
	struct edge *edges;
	size_t edge_count;
};

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

void steps_build_graph(struct steps *steps)
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

/* ---- times ---- */

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

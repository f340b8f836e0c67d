/* SPDX-License-Identifier: MIT
 * Draws the lanes of the threads: their names, the axis of the run, and the segments. Ids are numbers of segments: of a
 * bar that stands for several, the first of them. */
#include <inttypes.h>
#include <stdlib.h>

#include "export_graph.h"
#include "memory.h"
#include "number.h"

/* Pixels; and the bars of all lanes: where there are more segments, neighbours are one bar. */
enum { MARGIN = 4, MAX_BARS = 6000 };

static double lane_top(const struct graph *graph, size_t lane)
{
	return graph->lanes_top + GRAPH_LANE * (double)lane;
}

/* ---- names ---- */

static void put_name(const struct graph *graph, const struct bar_lane *lane, double y)
{
	char *number = memory_format("thread %" PRIu32, lane->thread);
	bool is_named = lane->name[0] != '\0';
	if (is_named)
		graph_label(graph->out, 12, y - 1, " font-weight=\"bold\"", lane->name, 16);
	graph_label(graph->out, 12, is_named ? y + 11 : y + 4,
		is_named ? " font-size=\"10\" fill=\"" GRAPH_QUIET "\"" : "", number, 20);
	free(number);
}

static void put_names(const struct graph *graph)
{
	fputs("<g id=\"lanes\">\n", graph->out);
	for (size_t i = 0; i < graph->lanes.len; i++) {
		fprintf(graph->out, "<rect y=\"%.1f\" width=\"%.0f\" height=\"%.1f\" fill=\"%s\"/>\n",
			lane_top(graph, i), graph->width, (double)GRAPH_LANE, i % 2 == 0 ? GRAPH_STRIPE : GRAPH_PAPER);
		put_name(graph, &graph->lanes.lanes[i], lane_top(graph, i) + GRAPH_LANE / 2.0);
	}
	fputs("</g>\n", graph->out);
}

/* ---- bars ---- */

/* Segments of one thread that are drawn as one bar: neighbours in one pixel, or a single one. */
struct lane_bar {
	size_t first, longest; /* segments */
	size_t len;
	uint64_t from_ns, until_ns, busy_ns;
};

struct lane_walk {
	const struct graph *graph;
	double grain; /* in pixels */
	struct lane_bar bar;
};

static uint64_t length_of(const struct graph *graph, size_t segment)
{
	return graph->work->tasks.segments[segment].until_ns - graph->work->tasks.segments[segment].from_ns;
}

static double speed_of(const struct graph *graph, size_t segment)
{
	size_t region = regions_of_segment(&graph->work->regions, segment);
	return region != TASKS_NONE ? graph->work->regions.regions[region].relative : 1;
}

/* A bar of several is paler the longer its thread had no task. */
static void put_bar(const struct lane_walk *walk)
{
	const struct graph *graph = walk->graph;
	const struct lane_bar *bar = &walk->bar;
	size_t lane = bar_lane_of(&graph->lanes, graph->work->tasks.segments[bar->first].thread);
	double x = graph_x(&graph->run, bar->from_ns), width = graph_x(&graph->run, bar->until_ns) - x;
	double opacity = graph_opacity(speed_of(graph, bar->longest));
	if (bar->len > 1 && bar->until_ns > bar->from_ns)
		opacity *= (double)bar->busy_ns / (double)(bar->until_ns - bar->from_ns);
	fprintf(graph->out,
		"<rect id=\"t%zu\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\" "
		"fill-opacity=\"%.2f\">",
		bar->first, x, lane_top(graph, lane) + MARGIN, width > 0.5 ? width : 0.5,
		(double)(GRAPH_LANE - 2 * MARGIN), graph_fill(graph->tags[bar->longest]), opacity);
	if (bar->len == 1)
		graph_segment_title(graph, bar->first);
	else
		fprintf(graph->out, "<title>%s segments</title>", number_count(bar->len).text);
	fputs("</rect>\n", graph->out);
}

static bool fits(const struct lane_walk *walk, const struct segment *segment)
{
	const struct graph_scale *scale = &walk->graph->run;
	const struct segment *first = &walk->graph->work->tasks.segments[walk->bar.first];
	return walk->bar.len > 0 && first->thread == segment->thread &&
	       graph_x(scale, segment->until_ns) - graph_x(scale, walk->bar.from_ns) < walk->grain;
}

static void add_to_bar(struct lane_walk *walk, size_t number)
{
	const struct segment *segment = &walk->graph->work->tasks.segments[number];
	struct lane_bar *bar = &walk->bar;
	if (!fits(walk, segment)) {
		if (bar->len > 0)
			put_bar(walk);
		*bar = (struct lane_bar){.first = number, .longest = number, .from_ns = segment->from_ns};
	}
	bar->len++;
	bar->until_ns = segment->until_ns;
	bar->busy_ns += length_of(walk->graph, number);
	if (length_of(walk->graph, number) > length_of(walk->graph, bar->longest))
		bar->longest = number;
}

struct lane_order {
	uint32_t thread;
	uint64_t from_ns;
	size_t segment;
};

static int compare_orders(const void *a, const void *b)
{
	const struct lane_order *left = a, *right = b;
	if (left->thread != right->thread)
		return left->thread < right->thread ? -1 : 1;
	if (left->from_ns != right->from_ns)
		return left->from_ns < right->from_ns ? -1 : 1;
	return left->segment < right->segment ? -1 : left->segment > right->segment;
}

/* A lane is grey where its thread works on no task. */
static void put_idle(const struct graph *graph)
{
	for (size_t i = 0; i < graph->lanes.len; i++)
		fprintf(graph->out,
			"<rect class=\"idle\" x=\"%.0f\" y=\"%.1f\" width=\"%.0f\" height=\"%.1f\" fill=\"" GRAPH_IDLE
			"\"/>\n",
			graph->run.left, lane_top(graph, i) + MARGIN, graph->run.width,
			(double)(GRAPH_LANE - 2 * MARGIN));
}

static void put_segments(const struct graph *graph)
{
	const struct tasks *tasks = &graph->work->tasks;
	struct lane_walk walk = {graph, graph->run.width * (double)graph->lanes.len / MAX_BARS, {0}};
	struct lane_order *order = memory_zeroed(tasks->segment_count, sizeof *order);
	if (walk.grain < 1)
		walk.grain = 1;
	for (size_t i = 0; i < tasks->segment_count; i++)
		order[i] = (struct lane_order){tasks->segments[i].thread, tasks->segments[i].from_ns, i};
	qsort(order, tasks->segment_count, sizeof *order, compare_orders);
	fputs("<g id=\"segments\">\n", graph->out);
	put_idle(graph);
	for (size_t i = 0; i < tasks->segment_count; i++)
		add_to_bar(&walk, order[i].segment);
	if (walk.bar.len > 0)
		put_bar(&walk);
	fputs("</g>\n", graph->out);
	free(order);
}

void graph_lanes(const struct graph *graph)
{
	double end = lane_top(graph, graph->lanes.len);
	struct graph_axis axis = {"run", graph->run, graph->origin_ns, graph->run_y, end};
	put_names(graph);
	graph_axis(graph, &axis);
	put_segments(graph);
}

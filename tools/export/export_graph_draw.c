/* SPDX-License-Identifier: MIT
 * Draws the boxes of the graph, and the lanes of the threads. Ids are numbers of segments: of a box that stands for
 * several, the first of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export_graph.h"
#include "memory.h"
#include "number.h"

/* ---- boxes ---- */

/* Pixels of a letter and of the line, at the size of the words in boxes. */
static const double LETTER = 5.6, LINE = 12;

/* A box for so many segments has words behind it if it is too small for them. */
enum { MANY = 10 };

struct place {
	double x, y, width, height;
};

static struct place place_of(const struct graph *graph, const struct box *box)
{
	double x = svg_x(&graph->scale, box->from), width = svg_x(&graph->scale, box->until) - x;
	return (struct place){x, graph->boxes_top + graph->row_height * (double)box->row, width > 0.5 ? width : 0.5,
		graph->row_height * (double)box->rows};
}

/* "merge", "merge x 64", "x 64", "task 5", "1,023 segments"; the caller frees it. */
static char *words_of(const struct graph *graph, const struct box *box)
{
	const char *tag = box->tag != TASKS_NONE ? graph->work->regions.tags[box->tag].tag : "";
	const char *between = tag[0] != '\0' ? " " : "";
	if (box->leaves == 1)
		return graph_name(graph, box->leaf);
	if (box->copies == 0)
		return memory_format("%s segments", number_count(box->leaves).text);
	return memory_format("%s%sx %s", tag, between, number_count(box->copies).text);
}

/* The free pixels behind the box, in its rows. */
static double room_behind(const struct graph *graph, const struct box *box)
{
	double end = graph->scale.left + graph->scale.width;
	for (size_t i = 0; i < graph->boxes.len; i++) {
		const struct box *other = &graph->boxes.boxes[i];
		double x = svg_x(&graph->scale, other->from);
		if (other != box && other->from >= box->until && boxes_share_rows(other, box) && x < end)
			end = x;
	}
	return end - svg_x(&graph->scale, box->until);
}

static void begin_words(const struct graph *graph, double x, double y, const char *anchor, const char *ink)
{
	fprintf(graph->svg.out,
		"<text x=\"%.1f\" y=\"%.1f\" font-size=\"10\" text-anchor=\"%s\" fill=\"%s\" pointer-events=\"none\"",
		x, y + 3.5, anchor, ink);
}

/* Along the box, or from bottom to top if there it has room; or behind it, if it stands for many. */
static void put_words(const struct graph *graph, const struct box *box, struct place place)
{
	char *words = words_of(graph, box);
	double x = place.x + place.width / 2, y = place.y + place.height / 2,
	       length = LETTER * (double)strlen(words) + 6;
	bool is_along = length <= place.width && LINE <= place.height;
	bool is_across = !is_along && length <= place.height && LINE <= place.width;
	bool is_many = box->copies > 1 || box->leaves >= MANY;
	bool is_behind =
		!is_along && !is_across && is_many && LINE <= place.height && length <= room_behind(graph, box);
	if (is_along || is_across)
		begin_words(graph, x, y, "middle", graph_ink(box->tag, box->speed));
	else if (is_behind)
		begin_words(graph, place.x + place.width + 3, y, "start", SVG_INK);
	if (is_across)
		fprintf(graph->svg.out, " transform=\"rotate(-90 %.1f %.1f)\"", x, y);
	if (is_along || is_across || is_behind) {
		fputs(">", graph->svg.out);
		svg_put(graph->svg.out, words);
		fputs("</text>\n", graph->svg.out);
	}
	free(words);
}

static void put_box(const struct graph *graph, const struct box *box)
{
	struct place place = place_of(graph, box);
	fprintf(graph->svg.out,
		"<rect id=\"s%zu\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\" "
		"fill-opacity=\"%.2f\"",
		box->leaf, place.x, place.y, place.width, place.height, graph_fill(box->tag),
		graph_opacity(box->speed));
	if (place.width >= 3)
		fputs(" stroke=\"" SVG_PAPER "\" stroke-width=\"0.5\"", graph->svg.out);
	fputs(">", graph->svg.out);
	graph_box_title(graph, box);
	fputs("</rect>\n", graph->svg.out);
	put_words(graph, box, place);
}

static void put_edge(const struct graph *graph, const struct box_edge *edge)
{
	struct place from = place_of(graph, &graph->boxes.boxes[edge->from]);
	struct place to = place_of(graph, &graph->boxes.boxes[edge->to]);
	double x = from.x + from.width, middle = (x + to.x) / 2;
	double from_y = from.y + from.height / 2, to_y = to.y + to.height / 2;
	fprintf(graph->svg.out,
		"<path class=\"edge\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\" stroke=\"" SVG_INK
		"\" stroke-width=\"0.8\" stroke-opacity=\"0.6\" fill=\"none\" marker-end=\"url(#head)\"/>\n",
		x, from_y, middle, from_y, middle, to_y, to.x, to_y);
}

void graph_boxes(const struct graph *graph)
{
	struct svg axis = graph->svg;
	axis.scale = graph->scale;
	axis.origin_ns = 0;
	axis.axis_y = graph->boxes_top - 6;
	axis.lanes_end = graph->boxes_top + graph->row_height * (double)graph->boxes.rows;
	fprintf(axis.out, "<rect y=\"%.1f\" width=\"%.0f\" height=\"%.1f\" fill=\"" SVG_STRIPE "\"/>\n",
		graph->boxes_top, axis.width, axis.lanes_end - graph->boxes_top);
	svg_label(&axis, 12, axis.axis_y - 2, " font-weight=\"bold\"", "Fork-join graph", 20);
	svg_label(&axis, 12, graph->svg.axis_y - 2, " font-weight=\"bold\"", "Threads", 20);
	svg_axis(&axis, "chain");
	fputs("<g id=\"graph\">\n", axis.out);
	for (size_t i = 0; i < graph->edges.len; i++)
		put_edge(graph, &graph->edges.edges[i]);
	for (size_t i = 0; i < graph->boxes.len; i++)
		put_box(graph, &graph->boxes.boxes[i]);
	fputs("</g>\n", axis.out);
}

/* ---- lanes ---- */

/* Pixels. A lane with more segments than so many of these has a wider one for several of them. */
enum { LANE_MARGIN = 4, MAX_BARS = 6000 };

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
	const struct svg *svg = &graph->svg;
	size_t lane = bar_lane_of(&svg->lanes, graph->work->tasks.segments[bar->first].thread);
	double x = svg_x(&svg->scale, bar->from_ns), width = svg_x(&svg->scale, bar->until_ns) - x;
	double opacity = graph_opacity(speed_of(graph, bar->longest));
	if (bar->len > 1 && bar->until_ns > bar->from_ns)
		opacity *= (double)bar->busy_ns / (double)(bar->until_ns - bar->from_ns);
	fprintf(svg->out,
		"<rect id=\"t%zu\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\" "
		"fill-opacity=\"%.2f\">",
		bar->first, x, svg->layout[lane].top + LANE_MARGIN, width > 0.5 ? width : 0.5,
		svg->layout[lane].height - 2 * LANE_MARGIN, graph_fill(graph->tags[bar->longest]), opacity);
	if (bar->len == 1)
		graph_segment_title(graph, bar->first);
	else
		fprintf(svg->out, "<title>%s segments</title>", number_count(bar->len).text);
	fputs("</rect>\n", svg->out);
}

static bool fits(const struct lane_walk *walk, const struct segment *segment)
{
	const struct svg_scale *scale = &walk->graph->svg.scale;
	const struct segment *first = &walk->graph->work->tasks.segments[walk->bar.first];
	return walk->bar.len > 0 && first->thread == segment->thread &&
	       svg_x(scale, segment->until_ns) - svg_x(scale, walk->bar.from_ns) < walk->grain;
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
	const struct svg *svg = &graph->svg;
	for (size_t i = 0; i < svg->lanes.len; i++)
		fprintf(svg->out,
			"<rect class=\"idle\" x=\"%.0f\" y=\"%.1f\" width=\"%.0f\" height=\"%.1f\" fill=\"" GRAPH_IDLE
			"\"/>\n",
			svg->scale.left, svg->layout[i].top + LANE_MARGIN, svg->scale.width,
			svg->layout[i].height - 2 * LANE_MARGIN);
}

void graph_lanes(const struct graph *graph)
{
	const struct tasks *tasks = &graph->work->tasks;
	struct lane_walk walk = {graph, graph->svg.scale.width * (double)graph->svg.lanes.len / MAX_BARS, {0}};
	struct lane_order *order = memory_zeroed(tasks->segment_count, sizeof *order);
	if (walk.grain < 1)
		walk.grain = 1;
	for (size_t i = 0; i < tasks->segment_count; i++)
		order[i] = (struct lane_order){tasks->segments[i].thread, tasks->segments[i].from_ns, i};
	qsort(order, tasks->segment_count, sizeof *order, compare_orders);
	fputs("<g id=\"segments\">\n", graph->svg.out);
	put_idle(graph);
	for (size_t i = 0; i < tasks->segment_count; i++)
		add_to_bar(&walk, order[i].segment);
	if (walk.bar.len > 0)
		put_bar(&walk);
	fputs("</g>\n", graph->svg.out);
	free(order);
}

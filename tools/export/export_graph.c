/* SPDX-License-Identifier: MIT
 * Tasks as a picture that needs no other file: no scripts, no fonts. The same recording gives the same bytes. */
#include "export_graph.h"

#include <stdlib.h>

/* Pixels. */
enum { AXIS = 26, AXIS_GAP = 6, BOXES = 640, MIN_ROW = 13, MAX_ROW = 40, FOOT = 14 };

/* ---- the layout ---- */

/* From the beginning of the first segment to the end of the last. */
static void find_run(struct graph *graph)
{
	const struct tasks *tasks = &graph->work->tasks;
	struct graph_scale *run = &graph->run;
	run->from_ns = tasks->segment_count > 0 ? UINT64_MAX : 0;
	for (size_t i = 0; i < tasks->segment_count; i++) {
		const struct segment *segment = &tasks->segments[i];
		if (segment->from_ns < run->from_ns)
			run->from_ns = segment->from_ns;
		if (segment->until_ns > run->until_ns)
			run->until_ns = segment->until_ns;
	}
	uint64_t began_ns = graph->export->recording->info.began_ns;
	graph->origin_ns = began_ns < run->from_ns ? began_ns : run->from_ns;
}

static void lay_out(struct graph *graph)
{
	double row = BOXES / (double)graph->boxes.rows;
	graph->row_height = row < MIN_ROW ? MIN_ROW : row > MAX_ROW ? MAX_ROW : row;
	graph->boxes_top = graph_legend_end(graph) + AXIS + AXIS_GAP;
	graph->run_y = graph->boxes_top + graph->row_height * (double)graph->boxes.rows + 2 * AXIS;
	graph->lanes_top = graph->run_y + AXIS_GAP;
	graph->height = graph->lanes_top + GRAPH_LANE * (double)graph->lanes.len + FOOT;
}

/* ---- drawing ---- */

/* Writes the root element, the head of edges, and the paper. */
static void begin(const struct graph *graph)
{
	fprintf(graph->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
		"font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"11\" fill=\"" GRAPH_INK
		"\">\n",
		graph->width, graph->height, graph->width, graph->height);
	fputs("<defs>\n"
	      "<marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
	      "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0.5L8 4L0 7.5z\" "
	      "fill=\"" GRAPH_INK "\"/></marker>\n"
	      "</defs>\n",
		graph->out);
	fprintf(graph->out, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"" GRAPH_PAPER "\"/>\n", graph->width,
		graph->height);
}

static void draw(const struct graph *graph)
{
	begin(graph);
	graph_heading(graph);
	graph_boxes(graph);
	graph_lanes(graph);
	fputs("</svg>\n", graph->out);
}

void export_graph(const struct export *export)
{
	struct graph graph = {.export = export, .work = export->work, .out = export->out};
	bool is_wide_given = (export->view.said & EXPORT_WIDTH) != 0;
	graph.width = is_wide_given ? (double)export->view.width : GRAPH_WIDTH;
	graph.chain.left = graph.run.left = GRAPH_LEFT;
	graph.chain.width = graph.run.width = graph.width - GRAPH_LEFT - GRAPH_RIGHT;
	graph.lanes = bar_lanes_of(export->recording);
	graph.boxes = work_graph_boxes(export->work, (struct box_room){GRAPH_MAX_ROWS, GRAPH_MAX_BOXES});
	graph.chain.until_ns = graph.boxes.extent;
	graph.tags = work_segment_tags(export->work);
	graph.edges = work_graph_edges(export->work, &graph.boxes);
	find_run(&graph);
	lay_out(&graph);
	draw(&graph);
	free(graph.edges.edges);
	free(graph.tags);
	boxes_fini(&graph.boxes);
	bar_lanes_fini(&graph.lanes);
}

/* SPDX-License-Identifier: MIT
 * Tasks as a picture that needs no other file. The same recording gives the same bytes. */
#include "export_graph.h"

#include <stdlib.h>

#include "event.h"
#include "memory.h"

/* Pixels. */
enum { AXIS = 26, AXIS_GAP = 6, BOXES = 640, MIN_ROW = 13, MAX_ROW = 40, LANE = 26, FOOT = 14 };

/* ---- the layout ---- */

/* From the beginning of the first segment to the end of the last. */
static void find_window(struct graph *graph)
{
	const struct tasks *tasks = &graph->work->tasks;
	struct svg *svg = &graph->svg;
	svg->scale.from_ns = tasks->segment_count > 0 ? UINT64_MAX : 0;
	for (size_t i = 0; i < tasks->segment_count; i++) {
		const struct segment *segment = &tasks->segments[i];
		if (segment->from_ns < svg->scale.from_ns)
			svg->scale.from_ns = segment->from_ns;
		if (segment->until_ns > svg->scale.until_ns)
			svg->scale.until_ns = segment->until_ns;
	}
	uint64_t began_ns = svg->export->recording->info.began_ns;
	svg->origin_ns = began_ns < svg->scale.from_ns ? began_ns : svg->scale.from_ns;
}

static void lay_out(struct graph *graph)
{
	struct svg *svg = &graph->svg;
	double row = BOXES / (double)graph->boxes.rows;
	graph->row_height = row < MIN_ROW ? MIN_ROW : row > MAX_ROW ? MAX_ROW : row;
	graph->boxes_top = graph_legend_end(graph) + AXIS + AXIS_GAP;
	svg->axis_y = graph->boxes_top + graph->row_height * (double)graph->boxes.rows + 2 * AXIS;
	svg->lanes_top = svg->axis_y + AXIS_GAP;
	svg->lanes_end = svg->lanes_top + LANE * (double)svg->lanes.len;
	svg->layout = memory_zeroed(svg->lanes.len, sizeof *svg->layout);
	for (size_t i = 0; i < svg->lanes.len; i++) {
		svg->layout[i].top = svg->lanes_top + LANE * (double)i;
		svg->layout[i].height = LANE;
	}
	svg->height = svg->lanes_end + FOOT;
}

static void draw(const struct graph *graph)
{
	svg_begin(&graph->svg);
	graph_heading(graph);
	graph_boxes(graph);
	svg_lane_names(&graph->svg);
	svg_axis(&graph->svg, "run");
	graph_lanes(graph);
	fputs("</svg>\n", graph->svg.out);
}

void export_graph(const struct export *export)
{
	bool is_wide_given = (export->view.said & EXPORT_WIDTH) != 0;
	struct graph graph = {.svg = {.export = export, .out = export->out}, .work = export->work};
	struct svg *svg = &graph.svg;
	svg->report = (struct report){.recording = export->recording, .symbols = export->symbols};
	svg->width = is_wide_given ? (double)export->view.width : SVG_WIDTH;
	svg->scale.left = SVG_LEFT;
	svg->scale.width = svg->width - SVG_LEFT - SVG_RIGHT;
	svg->lanes = bar_lanes_of(export->recording);
	graph.boxes = work_graph_boxes(export->work, (struct box_room){GRAPH_MAX_ROWS, GRAPH_MAX_BOXES});
	graph.scale = (struct svg_scale){0, graph.boxes.extent, svg->scale.left, svg->scale.width};
	graph.tags = work_segment_tags(export->work);
	graph.edges = work_graph_edges(export->work, &graph.boxes);
	find_window(&graph);
	lay_out(&graph);
	draw(&graph);
	free(graph.edges.edges);
	free(graph.tags);
	free(svg->layout);
	boxes_fini(&graph.boxes);
	bar_lanes_fini(&svg->lanes);
}

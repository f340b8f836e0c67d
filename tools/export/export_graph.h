/* SPDX-License-Identifier: MIT
 * The picture of tasks: a heading and a legend; the fork-join graph as boxes, whose axis is the time that the longest
 * chain takes; a lane for each thread with the segments that it ran, whose axis is the time of the run. */
#ifndef EXPORT_GRAPH_H
#define EXPORT_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export_svg.h"
#include "work_boxes.h"

#define GRAPH_IDLE "#dcdcdc"

/* A larger graph is folded (boxes.h). */
enum { GRAPH_MAX_ROWS = 64, GRAPH_MAX_BOXES = 4000 };

struct graph {
	struct svg svg; /* its scale and lanes are those of the threads */
	const struct work *work;
	struct boxes boxes;
	size_t *tags; /* of segments */
	struct box_edges edges;
	struct svg_scale scale; /* of the boxes */
	double boxes_top, row_height;
};

/* ---- colours ---- */

/* The fill of a tag, and of the speed 0 to 1 its opacity. */
const char *graph_fill(size_t tag);
double graph_opacity(double speed);

/* Black or white, whichever can be read on the fill. */
const char *graph_ink(size_t tag, double speed);

/* ---- the parts of the picture ---- */

/* The base of the legend's last line. */
double graph_legend_end(const struct graph *graph);

void graph_heading(const struct graph *graph);
void graph_boxes(const struct graph *graph);
void graph_lanes(const struct graph *graph);

/* Writes the title of a box, and of the segment on its thread. */
void graph_box_title(const struct graph *graph, const struct box *box);
void graph_segment_title(const struct graph *graph, size_t segment);

/* "sort", or "task 5" for a segment without a region; the caller frees it. */
char *graph_name(const struct graph *graph, size_t segment);

#endif

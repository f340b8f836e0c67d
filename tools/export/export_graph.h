/* SPDX-License-Identifier: MIT
 * The picture of tasks, an SVG: a heading and a legend; the fork-join graph as boxes, whose axis is the time that the
 * longest chain takes; a lane for each thread with the segments that it ran, whose axis is the time of the run. */
#ifndef EXPORT_GRAPH_H
#define EXPORT_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bars.h"
#include "export.h"
#include "work_boxes.h"

/* Pixels: the usual width of the picture, the room beside the axes, and the height of a lane. */
enum { GRAPH_WIDTH = 1200, GRAPH_LEFT = 132, GRAPH_RIGHT = 24, GRAPH_LANE = 26 };

/* A larger graph is folded (boxes.h). */
enum { GRAPH_MAX_ROWS = 64, GRAPH_MAX_BOXES = 4000 };

/* The colours of the picture, but for those of tags. */
#define GRAPH_PAPER "#ffffff"
#define GRAPH_STRIPE "#f6f6f6" /* behind the boxes, and behind each other lane */
#define GRAPH_INK "#222222"    /* texts and edges */
#define GRAPH_QUIET "#555555"  /* texts beside others */
#define GRAPH_AXIS "#888888"
#define GRAPH_TICK "#000000" /* nearly transparent */
#define GRAPH_IDLE "#dcdcdc"

/* Maps times to the picture. Invariant: from_ns <= until_ns, left and width are finite. */
struct graph_scale {
	uint64_t from_ns, until_ns;
	double left, width; /* in pixels */
};

struct graph {
	const struct export *export;
	const struct work *work;
	FILE *out;
	struct bar_lanes lanes;
	struct boxes boxes;
	size_t *tags; /* of segments */
	struct box_edges edges;
	struct graph_scale chain, run; /* of the boxes; of the lanes */
	uint64_t origin_ns;            /* time 0 of the run */
	double boxes_top, row_height, run_y, lanes_top, width, height;
};

/* ---- colours ---- */

/* The fill of a tag, and of the speed 0 to 1 its opacity. */
const char *graph_fill(size_t tag);
double graph_opacity(double speed);

/* Black or white, whichever can be read on the fill. */
const char *graph_ink(size_t tag, double speed);

/* ---- text: of any bytes; the picture is well-formed all the same ---- */

/* Writes the text so that it is text within an element. Bytes that are not UTF-8 become U+FFFD, characters that act on
 * a terminal (utf8.h) or are none in XML '?'. */
void graph_put(FILE *out, const char *text);

/* The same of a formatted text. */
void graph_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes <text ...> with these attributes. A text of more than `max` characters is cut, with an ellipsis, and then has
 * the whole text for its title. */
void graph_label(FILE *out, double x, double y, const char *attributes, const char *text, size_t max);

/* ---- axes ---- */

/* The x of a time. Times outside of the scale are at its borders. */
double graph_x(const struct graph_scale *scale, uint64_t time_ns);

/* The distance of ticks: the shortest of 1, 2, 5, 10, 20 ... ns so that at most `max` of them are in the span.
 * Requires max >= 1. */
uint64_t graph_tick_ns(uint64_t span_ns, uint64_t max);

/* Writes an axis at y, in times since the origin, with ticks down to `end`. */
struct graph_axis {
	const char *id;
	struct graph_scale scale;
	uint64_t origin_ns;
	double y, end;
};
void graph_axis(const struct graph *graph, const struct graph_axis *axis);

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

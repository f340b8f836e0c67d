/* SPDX-License-Identifier: MIT
 * The tasks of a timeline as boxes: their graph, whose axis is time, and the tree of their creations. */
#ifndef WORK_BOXES_H
#define WORK_BOXES_H

#include "boxes.h"
#include "work.h"

/* The graph. A segment begins when all those that lead to it have ended, as if there were a thread for each: so the
 * extent of the axis is the longest chain (tasks_longest_ns()). The leaves are segments; a leaf's tag is the number of
 * the tag (regions.h) of its region (regions_of_segment()), its speed that of the region; without a region it is 1.
 * Requires a work without a fault. Free with boxes_fini(). */
struct boxes work_graph_boxes(const struct work *work, struct box_room room);

/* An edge of the graph from one box to another that has no row in common with it: the order of the boxes does not show
 * it. */
struct box_edge {
	size_t from, to; /* boxes */
};

/* Different edges, by box; so many that they can be told apart, and the count of those left out. */
struct box_edges {
	struct box_edge *edges; /* owned by the caller */
	size_t len, left_out;
};

enum { BOX_EDGES_MAX = 300 };

/* Requires the boxes of this work's graph. */
struct box_edges work_graph_edges(const struct work *work, const struct boxes *boxes);

/* The tree of creations. The leaves are tasks; the axis is how many creations lead to a task. Its tag is that of its
 * longest segment. */
struct boxes work_creation_boxes(const struct work *work, struct box_room room);

/* The tag of each segment, as above; owned by the caller. */
size_t *work_segment_tags(const struct work *work);

#endif

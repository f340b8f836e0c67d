/* SPDX-License-Identifier: MIT
 * Tasks as a picture (SVG) that needs no other file: a legend, the fork-join graph and the tree of creations
 * (layout.c). Both are elements of their own with the ids "graph" and "creations", which the page of `report --html`
 * shows by themselves; in these the element of a box has the class "box" and, as its id, "graph" or "creations" and
 * its number. The same recording gives the same bytes. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdio.h>

#include "work.h"

/* ---- layout.c: where the boxes are ----
 * A box has a place along an axis, and a row. There are two such pictures.
 *
 * The fork-join graph: the axis is the time of the longest chain. A segment is as wide as its time, and begins when all
 * those that lead to it have ended, as if there were a thread for each. Its row is that of its task. Tasks of which
 * neither waits for the other have different rows; a row is used again behind the end of its task.
 *
 * The tree of creations: the axis is how many creations lead to a task. A task has the row of its creator, or one below
 * the creator's earlier tasks.
 *
 * A picture has room for so many rows and boxes, however many tasks there are. Where several boxes lie in one place,
 * one stands for all of them, and neighbours too narrow to be seen are one box. Each segment, or task, is in exactly
 * one. */

enum { LAYOUT_ROWS = 64, LAYOUT_BOXES = 2000, LAYOUT_EDGES = 400 };

/* Invariants: from <= until; min_ns <= max_ns; time_ns is the sum of all. */
struct box {
	uint64_t from, until;
	size_t row;
	size_t first; /* of the segments, or tasks, that it stands for */
	size_t count; /* of them */
	uint64_t time_ns, min_ns, max_ns;
	size_t tag;    /* that takes most of the time (work.h); WORK_NONE: none */
	bool is_alike; /* all have this tag */
	double speed;  /* of those with the tag: the mean, weighted by time, of how fast their regions were (0 to 1) */
};

/* From one box to another in another row, which it leads to, or whose tasks its own have created. */
struct box_edge {
	size_t from, to;
};

/* Invariant: boxes are in the order of their rows, and in a row they do not overlap. */
struct layout {
	struct box *boxes;
	size_t len, cap;
	size_t rows;
	uint64_t extent; /* of the axis, from 0 on */
	size_t *of;      /* the box of each segment, or task */
	struct box_edge *edges;
	size_t edge_count, edges_left_out; /* those of the first boxes, as many as can be told apart */
};

/* Both require a work without a fault, and take O(n log n). Free with layout_fini(). */
struct layout layout_graph(const struct work *work);
struct layout layout_creations(const struct work *work);
void layout_fini(struct layout *layout);

/* ---- picture.c ---- */

struct picture {
	const struct recording *recording;
	const struct work *work; /* without a fault */
	struct layout graph, creations;
};

struct picture picture_of(const struct recording *recording, const struct work *work);
void picture_fini(struct picture *picture);

void picture_write(const struct picture *picture, FILE *out);

/* The colour of a tag, "#0072b2"; and black or white, whichever can be read on it at this speed, 0 to 1. */
const char *picture_fill(size_t tag);
const char *picture_ink(size_t tag, double speed);

#endif

/* SPDX-License-Identifier: MIT
 * Folds what a picture cannot show apart. A slot is a row and depth of a lane. Bars of one slot that are narrower than
 * a pixel and begin in the same pixel become one group; so do points of one slot in one pixel, and arrows between the
 * same cells of the same lanes, which are as wide as their user says. A group knows the counts of its members, so that
 * nothing is left out. Memory is needed for the slots only.
 */
#ifndef EXPORT_SVG_FOLD_H
#define EXPORT_SVG_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bars.h"

/* Maps times to the picture. Invariant: from_ns <= until_ns, left and width are finite. */
struct svg_scale {
	uint64_t from_ns, until_ns;
	double left, width; /* in pixels */
};

/* The x of a time. Times outside of the window are at its borders. */
double svg_x(const struct svg_scale *scale, uint64_t time_ns);

/* Whether a bar or point is in the window: a bar must have some length inside. A point may lie on a border; in a window
 * of no length, so may a bar. */
bool svg_shows(const struct svg_scale *scale, uint64_t from_ns, uint64_t until_ns);

/* The distance of ticks: the shortest of 1, 2, 5, 10, 20 ... ns so that at most `max` of them are in the span.
 * Requires max >= 1. */
uint64_t svg_tick_ns(uint64_t span_ns, uint64_t max);

/* What a bar stands for; for an attempt, how it ended. */
enum svg_fate {
	SVG_COMMIT,
	SVG_ABORT,
	SVG_OPEN, /* an attempt that is still open, or whose end is missing */
	SVG_WAIT,
	SVG_GAP,
	SVG_TASK,
	SVG_TOUCH,
	SVG_REGION,
	SVG_FATES
};

struct svg_bar {
	struct bar bar;
	enum svg_fate fate;
	double shade;  /* 0 to 1 */
	uint64_t lost; /* events that a gap stands for */
};

/* Invariant: total is the sum of count; 0: the group is empty. */
struct svg_group {
	struct svg_bar first;
	uint64_t total;
	uint64_t count[SVG_FATES];
	uint64_t time_ns[SVG_FATES];
	uint64_t from_ns, until_ns; /* of all bars, cut at the borders of the window */
	uint64_t lost;
	double shade_sum, shade_weight;
	bool is_narrow;
	double x, width; /* of the bar; of a narrow group, of its pixel */
};

/* The fate that takes most time; of several the first. */
enum svg_fate svg_group_fate(const struct svg_group *group);

/* The mean shade, weighted by time. */
double svg_group_shade(const struct svg_group *group);

struct svg_fold {
	const struct svg_scale *scale;
	size_t slots;
	struct svg_group *pending;
	void (*draw)(void *arg, const struct svg_group *group);
	void *arg;
};

struct svg_fold svg_fold_init(
	const struct svg_scale *scale, size_t slots, void (*draw)(void *arg, const struct svg_group *group), void *arg);

/* Requires that the bars of a slot come in the order of their ends and do not overlap, and that svg_shows() is true. */
void svg_fold_bar(struct svg_fold *fold, size_t slot, const struct svg_bar *bar);

/* Draws the groups that are left, and frees the memory. */
void svg_fold_end(struct svg_fold *fold);

/* Points drawn as one. Invariant: total 0 means that there are none. */
struct svg_dots {
	struct bar_point first, last;
	uint64_t total;
	double x; /* the middle of their pixel; of a single point its own x */
};

struct svg_dot_fold {
	const struct svg_scale *scale;
	size_t slots;
	struct svg_dots *pending;
	void (*draw)(void *arg, const struct svg_dots *dots);
	void *arg;
};

struct svg_dot_fold svg_dot_fold_init(
	const struct svg_scale *scale, size_t slots, void (*draw)(void *arg, const struct svg_dots *dots), void *arg);
void svg_fold_dot(struct svg_dot_fold *fold, size_t slot, const struct bar_point *point);
void svg_dot_fold_end(struct svg_dot_fold *fold);

enum { SVG_ARROWS_AT_ONCE = 256 };

/* Arrows drawn as one. */
struct svg_arrows {
	struct bar_point first; /* the end of the first arrow */
	uint64_t total;
	uint64_t last_ns; /* when the last one ends */
	double x, from_x;
};

/* Collects the arrows that end in one cell, which is `grain` pixels wide, at least 1. Draws them when an arrow ends in
 * another cell, or when `pending` is full: then later arrows between the same cells are drawn apart, with their own
 * count. */
struct svg_arrow_fold {
	const struct svg_scale *scale;
	double grain;
	size_t len;
	struct svg_arrows pending[SVG_ARROWS_AT_ONCE];
	void (*draw)(void *arg, const struct svg_arrows *arrows);
	void *arg;
};

/* Requires the ends of arrows in the order of time. */
void svg_fold_arrow(struct svg_arrow_fold *fold, const struct bar_point *end);
void svg_arrow_fold_end(struct svg_arrow_fold *fold);

#endif

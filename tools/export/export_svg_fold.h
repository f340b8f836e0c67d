/* SPDX-License-Identifier: MIT
 * What of a timeline can be told apart in a picture: a million bars cannot. Bars of one slot (a row and depth of a
 * lane) which are narrower than a pixel and begin in the same one become one group, likewise points of one slot and
 * arrows between the same pixels of the same lanes. A group says what it stands for; nothing is left out. Memory is by
 * the number of slots, not of what is folded.
 */
#ifndef EXPORT_SVG_FOLD_H
#define EXPORT_SVG_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bars.h"

/* Where times lie in the picture. Invariant: from_ns <= until_ns, left and width are finite. */
struct svg_scale {
	uint64_t from_ns, until_ns;
	double left, width; /* in pixels */
};

/* Times outside are at the borders. */
double svg_x(const struct svg_scale *scale, uint64_t time_ns);

/* Whether any of it is to be seen: what has a length must have some of it inside; what has none, and all in a window
 * of no length, may lie on a border. */
bool svg_shows(const struct svg_scale *scale, uint64_t from_ns, uint64_t until_ns);

/* The shortest of 1, 2, 5, 10, 20 ... ns so that at most `most` of them, at least 1, are in the span. */
uint64_t svg_tick_ns(uint64_t span_ns, uint64_t most);

/* What has become of a bar. */
enum svg_fate {
	SVG_COMMIT,
	SVG_ABORT,
	SVG_OPEN, /* or not known: its end is missing */
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

/* Invariant: total is the sum of count; 0: nothing is in it. */
struct svg_group {
	struct svg_bar first;
	uint64_t total;
	uint64_t count[SVG_FATES];
	uint64_t time_ns[SVG_FATES];
	uint64_t from_ns, until_ns; /* of all of them, cut at the window's borders */
	uint64_t lost;
	double shade_sum, shade_weight;
	bool is_narrow;
	double x, width; /* of a narrow one its pixel */
};

/* The fate that takes most time; of equals the first. */
enum svg_fate svg_group_fate(const struct svg_group *group);

/* Mean by time. */
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

/* Bars of a slot come in the order of their ends and do not overlap. Requires svg_shows(). */
void svg_fold_bar(struct svg_fold *fold, size_t slot, const struct svg_bar *bar);

/* Draws what is left, and frees. */
void svg_fold_end(struct svg_fold *fold);

/* Invariant: as above. `last` is the newest one. */
struct svg_dots {
	struct bar_point first, last;
	uint64_t total;
	double x; /* the middle of their pixel; of a single one, where it is */
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

struct svg_arrows {
	struct bar_point first; /* the end of the first one */
	uint64_t total;
	double x, from_x;
};

/* Those that end in one pixel. Where they are more than there is room for, some pixels' arrows are drawn as several,
 * with their counts each. */
struct svg_arrow_fold {
	const struct svg_scale *scale;
	size_t len;
	struct svg_arrows pending[SVG_ARROWS_AT_ONCE];
	void (*draw)(void *arg, const struct svg_arrows *arrows);
	void *arg;
};

/* `end` is an arrow's end; in the order of time. */
void svg_fold_arrow(struct svg_arrow_fold *fold, const struct bar_point *end);
void svg_arrow_fold_end(struct svg_arrow_fold *fold);

#endif

/* SPDX-License-Identifier: MIT
 * The picture of a timeline: a heading, a legend and an axis; a lane for each thread; below them the places and objects
 * of the conflicts. It takes three walks over the events: one measures, one draws the bars, and one draws the points
 * and arrows on top of them. */
#ifndef EXPORT_SVG_H
#define EXPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <stmlog/timeline.h>

#include "bars.h"
#include "export.h"
#include "export_svg_fold.h"
#include "report.h"

enum { SVG_WIDTH = 1200, SVG_LEFT = 132, SVG_RIGHT = 24, SVG_MAX_DEPTHS = 16, SVG_TOP_CONFLICTS = 10 };

/* The colours of the picture, but for those of bars. */
#define SVG_PAPER "#ffffff"
#define SVG_STRIPE "#f6f6f6" /* behind each other lane */
#define SVG_INK "#222222"    /* texts, points and arrows */
#define SVG_QUIET "#555555"  /* texts beside others */
#define SVG_EDGE "#666666"   /* around and across gaps; the points that are lines */
#define SVG_AXIS "#888888"
#define SVG_TICK "#000000" /* nearly transparent */
#define SVG_COUNTER "#56b4e9"

/* The look of a bar, by its fate. */
struct svg_look {
	const char *name; /* its class in the file */
	const char *fill;
};
extern const struct svg_look svg_looks[SVG_FATES];

/* Where the rows of a thread are, and how deep. Invariant: depths <= SVG_MAX_DEPTHS; 0: no bar of that row is in the
 * window. */
struct svg_lane {
	size_t depths[STMLOG_ROWS];
	bool has_points;
	double top, height;
	double row_top[STMLOG_ROWS], points_top;
	size_t first_slot[STMLOG_ROWS];
	size_t attempts_open; /* up to the present event of a walk */
};

/* Counts of what is in the window. */
struct svg_sums {
	uint64_t bars[SVG_FATES];
	uint64_t points[STMLOG_EVENT_KINDS];
	uint64_t arrows;
	uint64_t lost;
	uint64_t too_deep; /* bars below the deepest row that is drawn */
};

struct svg_conflict {
	char *name;
	uint64_t count;
};

/* Conflicts by place or object: the `len` most frequent ones, and the rest. */
struct svg_conflicts {
	struct svg_conflict *rows;
	size_t len;
	uint64_t others, other_count; /* not among the rows: places or objects, and their conflicts */
	uint64_t uncounted;           /* conflicts for which there was no room */
	uint64_t unknown;             /* conflicts whose place or object is not known */
};

struct svg {
	const struct export *export;
	struct report report; /* for names */
	struct bar_lanes lanes;
	struct svg_lane *layout; /* of each lane */
	struct svg_scale scale;
	uint64_t origin_ns; /* time 0 of the axis */
	bool is_late;       /* the window begins behind events, where all threads are covered */
	struct svg_sums sums;
	struct svg_conflicts sites, objects;
	double axis_y, lanes_top, lanes_end, lists_top, width, height;
	size_t slots;
	double animate_s; /* duration of the animation; 0: none */
	FILE *out;
};

const struct stmlog_event_record *svg_event(const struct svg *svg, size_t index);

/* The bar with its fate, and other properties that its drawing needs. */
struct svg_bar svg_bar_of(const struct svg *svg, const struct bar *bar);

/* The region that this event begins; NULL: nothing is known of it, since its timeline contradicts itself. */
const struct region *svg_region(const struct svg *svg, size_t begin);

/* Whether the point is drawn. Points that only begin or end an arrow are not, nor events of a later version. */
bool svg_is_drawn(const struct svg *svg, const struct bar_point *point);

/* The height of a bar. */
double svg_depth_height(enum stmlog_row row, size_t depth);

/* Fills sums, conflicts and the layout. Free with svg_layout_fini(). */
void svg_measure(struct svg *svg);
void svg_layout_fini(struct svg *svg);

struct svg_conflicts svg_conflicts_by_site(const struct svg *svg);
struct svg_conflicts svg_conflicts_by_object(const struct svg *svg);
void svg_conflicts_fini(struct svg_conflicts *conflicts);

/* ---- drawing ---- */

/* Prints, with XML's special characters escaped. The file is well-formed whatever bytes the arguments hold. */
void svg_say(const struct svg *svg, const char *format, ...) __attribute__((format(printf, 2, 3)));

void svg_put(FILE *out, const char *text);

/* Writes <text ...> with these attributes. A text of more than `max` characters is cut, with an ellipsis, and then has
 * the whole text for its title. */
void svg_label(const struct svg *svg, double x, double y, const char *attributes, const char *text, size_t max);

/* Write the animation of an element, inside of it: it appears at x; it grows from x to x + width. */
void svg_appear(const struct svg *svg, double x);
void svg_grow(const struct svg *svg, double x, double width);

/* Writes the root element, what the picture refers to, and the paper. */
void svg_begin(const struct svg *svg);

void svg_heading(const struct svg *svg);
double svg_legend_end(const struct svg *svg); /* the base of its last line */
void svg_legend(const struct svg *svg);
void svg_axis(const struct svg *svg, const char *id);
void svg_lane_names(const struct svg *svg);
void svg_bars(const struct svg *svg);
void svg_points(const struct svg *svg);
void svg_lists(const struct svg *svg);
double svg_lists_height(const struct svg *svg);

/* Whether so many points or arrows would hide each other and the bars below. */
bool svg_is_dense(const struct svg *svg, uint64_t count);

/* The width of the cells whose arrows are drawn as one: 1 pixel, or of dense arrows so many that they are no longer
 * dense, if any two threads abort each other. */
double svg_arrow_grain(const struct svg *svg);

/* The width of a line that stands for `total` points or arrows: 0.4 more for each doubling, 4.4 at the most. */
double svg_stroke(uint64_t total);

/* Writes the attributes of a path for points of this kind; x and y are its tip, or the top of its line. */
void svg_point_shape(const struct svg *svg, unsigned kind, uint64_t total, double x, double y);

/* Write the titles, which viewers show when the pointer rests on an element. */
void svg_bar_title(const struct svg *svg, const struct svg_group *group);
void svg_dots_title(const struct svg *svg, const struct svg_dots *dots);
void svg_arrows_title(const struct svg *svg, const struct svg_arrows *arrows);

/* "worker (thread 3)" or "thread 3"; the caller frees it. */
char *svg_thread_name(const struct svg *svg, uint32_t thread);

#endif

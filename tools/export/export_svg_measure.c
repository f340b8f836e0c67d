/* SPDX-License-Identifier: MIT
 * Counts what is in the window, and lays out the picture before anything is drawn: an SVG begins with its height. */
#include <stdlib.h>

#include "event.h"
#include "export_svg.h"
#include "memory.h"

enum { AXIS = 24, AXIS_GAP = 6, LANE_GAP = 6, MIN_LANE = 26, POINTS = 9, LISTS_GAP = 24 };

bool svg_is_drawn(const struct svg *svg, const struct bar_point *point)
{
	unsigned kind = svg_event(svg, point->index)->kind;
	bool has_bar = kind == STMLOG_EVENT_ABORT && svg->layout[point->lane].attempts_open > 0;
	bool is_itself = kind < STMLOG_EVENT_KINDS && !point->is_culprit && !has_bar;
	return is_itself && svg_shows(&svg->scale, point->time_ns, point->time_ns);
}

/* ---- counting ---- */

static void note_open(void *arg, const struct bar *bar)
{
	struct svg *svg = arg;
	if (svg_event(svg, bar->index)->kind == STMLOG_EVENT_START)
		svg->layout[bar->lane].attempts_open++;
}

static void note_close(void *arg, const struct bar *bar)
{
	struct svg *svg = arg;
	struct svg_lane *lane = &svg->layout[bar->lane];
	struct svg_bar seen = svg_bar_of(svg, bar);
	if (svg_event(svg, bar->index)->kind == STMLOG_EVENT_START)
		lane->attempts_open--;
	if (!svg_shows(&svg->scale, bar->from_ns, bar->until_ns))
		return;
	svg->sums.bars[seen.fate]++;
	svg->sums.lost += seen.lost;
	if (bar->depth >= SVG_MAX_DEPTHS)
		svg->sums.too_deep++;
	else if (lane->depths[bar->row] <= bar->depth)
		lane->depths[bar->row] = bar->depth + 1;
}

static void note_point(void *arg, const struct bar_point *point)
{
	struct svg *svg = arg;
	if (svg_is_drawn(svg, point)) {
		svg->sums.points[svg_event(svg, point->index)->kind]++;
		svg->layout[point->lane].has_points = true;
	}
	if (point->is_arrow_end && svg_shows(&svg->scale, point->time_ns, point->time_ns))
		svg->sums.arrows++;
}

/* ---- the layout ---- */

static double put_row(struct svg *svg, struct svg_lane *lane, enum stmlog_row row, double y)
{
	lane->row_top[row] = y;
	lane->first_slot[row] = svg->slots;
	svg->slots += lane->depths[row];
	for (size_t depth = 0; depth < lane->depths[row]; depth++)
		y += svg_depth_height(row, depth) + 1;
	return y;
}

/* From top to bottom: regions, tasks, touches, points, transactions. */
static double put_lane(struct svg *svg, struct svg_lane *lane, double top)
{
	double y = top + LANE_GAP / 2.0;
	lane->top = top;
	y = put_row(svg, lane, STMLOG_ROW_REGIONS, y);
	y = put_row(svg, lane, STMLOG_ROW_TASKS, y);
	y = put_row(svg, lane, STMLOG_ROW_TOUCHES, y);
	lane->points_top = y;
	y += lane->has_points ? POINTS : 0;
	y = put_row(svg, lane, STMLOG_ROW_TRANSACTIONS, y) + LANE_GAP / 2.0;
	lane->height = y - top > MIN_LANE ? y - top : MIN_LANE;
	return lane->height;
}

void svg_measure(struct svg *svg)
{
	static const struct bar_sink sink = {note_open, note_close, note_point};
	svg->layout = memory_zeroed(svg->lanes.len, sizeof *svg->layout);
	bars_walk(svg->export->recording, &svg->lanes, &sink, svg, NULL);
	svg->sites = svg_conflicts_by_site(svg);
	svg->objects = svg_conflicts_by_object(svg);
	svg->axis_y = svg_legend_end(svg) + AXIS;
	svg->lanes_top = svg->lanes_end = svg->axis_y + AXIS_GAP;
	for (size_t i = 0; i < svg->lanes.len; i++)
		svg->lanes_end += put_lane(svg, &svg->layout[i], svg->lanes_end);
	svg->lists_top = svg->lanes_end + LISTS_GAP;
	svg->height = svg->lists_top + svg_lists_height(svg);
}

void svg_layout_fini(struct svg *svg)
{
	svg_conflicts_fini(&svg->sites);
	svg_conflicts_fini(&svg->objects);
	free(svg->layout);
	svg->layout = NULL;
}

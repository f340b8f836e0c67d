/* SPDX-License-Identifier: MIT
 * How bars and points look: their colours, heights and shapes, how pale a slow region is, and how threads are called.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "export_svg.h"
#include "memory.h"

/* ---- bars ---- */

const struct svg_look svg_looks[SVG_FATES] = {
	[SVG_COMMIT] = {"commit", "#0072b2"},
	[SVG_ABORT] = {"abort", "#d55e00"},
	[SVG_OPEN] = {"open", "#a8a8a8"},
	[SVG_WAIT] = {"wait", "#f0b400"},
	[SVG_GAP] = {"missing", "url(#hatch)"},
	[SVG_TASK] = {"task", "#009e73"},
	[SVG_TOUCH] = {"touch", "#8fd3bf"},
	[SVG_REGION] = {"region", "#cc79a7"},
};

const struct stmlog_event_record *svg_event(const struct svg *svg, size_t index)
{
	return &svg->export->recording->events[index];
}

const struct region *svg_region(const struct svg *svg, size_t begin)
{
	const struct work *work = svg->export->work;
	return work != NULL ? regions_find(&work->regions, begin) : NULL;
}

/* 0 to 1: how fast the region was beside the fastest of its tag. */
static double shade_of(const struct svg *svg, size_t begin)
{
	const struct region *region = svg_region(svg, begin);
	return region != NULL ? region->relative : 0;
}

static enum svg_fate fate_of_attempt(const struct svg *svg, const struct bar *bar)
{
	unsigned kind = bar->closed_by != BAR_NONE ? svg_event(svg, bar->closed_by)->kind : STMLOG_EVENT_MISSING;
	return kind == STMLOG_EVENT_COMMIT ? SVG_COMMIT : kind == STMLOG_EVENT_ABORT ? SVG_ABORT : SVG_OPEN;
}

struct svg_bar svg_bar_of(const struct svg *svg, const struct bar *bar)
{
	struct svg_bar seen = {.bar = *bar};
	const struct stmlog_event_record *event = svg_event(svg, bar->index);
	switch (event->kind) {
	case STMLOG_EVENT_START:
		seen.fate = fate_of_attempt(svg, bar);
		break;
	case STMLOG_EVENT_MISSING:
		seen.fate = SVG_GAP;
		seen.lost = event->argument;
		break;
	case STMLOG_EVENT_REGION_BEGIN:
		seen.fate = SVG_REGION;
		seen.shade = shade_of(svg, bar->index);
		break;
	default:
		seen.fate = bar->row == STMLOG_ROW_TASKS     ? SVG_TASK
			    : bar->row == STMLOG_ROW_TOUCHES ? SVG_TOUCH
							     : SVG_WAIT;
	}
	return seen;
}

double svg_depth_height(enum stmlog_row row, size_t depth)
{
	static const double heights[STMLOG_ROWS] = {[STMLOG_ROW_TRANSACTIONS] = 20,
		[STMLOG_ROW_TASKS] = 14,
		[STMLOG_ROW_TOUCHES] = 8,
		[STMLOG_ROW_REGIONS] = 14};
	return row == STMLOG_ROW_TRANSACTIONS && depth > 0 ? 9 : heights[row];
}

/* ---- points and arrows ---- */

bool svg_is_dense(const struct svg *svg, uint64_t count)
{
	return (double)count > svg->scale.width * (double)svg->lanes.len / 16;
}

double svg_arrow_grain(const struct svg *svg)
{
	enum { WIDEST = 128 };
	double grain = 16 * ((double)svg->lanes.len - 1);
	if (!svg_is_dense(svg, svg->sums.arrows))
		return 1;
	return grain > WIDEST ? WIDEST : grain < 16 ? 16 : grain;
}

double svg_stroke(uint64_t total)
{
	double width = 0.8;
	for (; total > 1 && width < 4; total /= 2)
		width += 0.4;
	return width;
}

void svg_point_shape(const struct svg *svg, unsigned kind, uint64_t total, double x, double y)
{
	bool is_line = svg_is_dense(svg, svg->sums.points[kind]);
	const char *fill = kind == STMLOG_EVENT_COUNTER ? SVG_COUNTER : SVG_INK;
	fprintf(svg->out, "d=\"M%.2f %.1f", x, y + 1);
	if (is_line)
		fputs("v6\" stroke=\"" SVG_INK "\" stroke-width=\"1\" fill=\"none\"", svg->out);
	else if (kind == STMLOG_EVENT_CONTENTION)
		fprintf(svg->out, "l3 6h-6z\" stroke=\"" SVG_INK "\" stroke-width=\"%.1f\" fill=\"" SVG_PAPER "\"",
			svg_stroke(total));
	else if (kind == STMLOG_EVENT_MARK || kind == STMLOG_EVENT_COUNTER)
		fprintf(svg->out, "l3.5 3.5l-3.5 3.5l-3.5 -3.5z\" stroke=\"%s\" stroke-width=\"%.1f\" fill=\"%s\"",
			fill, svg_stroke(total) - 0.8, fill);
	else
		fprintf(svg->out, "v7\" stroke=\"" SVG_EDGE "\" stroke-width=\"%.1f\" fill=\"none\"",
			svg_stroke(total) + 0.4);
}

/* ---- threads ---- */

char *svg_thread_name(const struct svg *svg, uint32_t thread)
{
	size_t lane = bar_lane_of(&svg->lanes, thread);
	const char *name = lane != BAR_NONE ? svg->lanes.lanes[lane].name : "";
	return name[0] != '\0' ? memory_format("%s (thread %" PRIu32 ")", name, thread)
			       : memory_format("thread %" PRIu32, thread);
}

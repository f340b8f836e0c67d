/* SPDX-License-Identifier: MIT
 * Writes bars, points and arrows in the order of a walk. Ids are the indices of events: for a bar the event that opens
 * it; for an arrow its abort; for several drawn as one the first of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cause.h"
#include "event.h"
#include "export_svg.h"
#include "memory.h"
#include "number.h"

/* ---- bars ---- */

struct bar_walk {
	const struct svg *svg;
	struct svg_fold fold;
};

/* The words inside of a bar; NULL: none. The caller frees them. */
static char *words_in(const struct svg *svg, const struct svg_group *group)
{
	const struct bar *bar = &group->first.bar;
	const struct stmlog_event_record *event = svg_event(svg, bar->index);
	switch (group->first.fate) {
	case SVG_ABORT:
		return memory_text(cause_reason_name(svg_event(svg, bar->closed_by)->reason));
	case SVG_GAP:
		return memory_format("%s missing", number_count(group->lost).text);
	case SVG_TASK:
		return memory_format("task %" PRIu64, event->argument);
	case SVG_REGION:
		return memory_text(
			recording_string(svg->export->recording, event_place(svg->export->recording, event).word));
	default:
		return NULL;
	}
}

static void put_words(const struct svg *svg, const struct svg_group *group, double y, double height)
{
	char *words = group->total == 1 && height >= 12 ? words_in(svg, group) : NULL;
	bool is_dark = group->first.fate == SVG_ABORT || group->first.fate == SVG_TASK;
	bool is_hatched = group->first.fate == SVG_GAP;
	if (words != NULL && words[0] != '\0' && 5.6 * (double)strlen(words) + 8 <= group->width) {
		fprintf(svg->out, "<text x=\"%.2f\" y=\"%.1f\" font-size=\"10\" fill=\"%s\"%s pointer-events=\"none\">",
			group->x + 4, y + height / 2 + 3.5, is_dark ? SVG_PAPER : SVG_INK,
			is_hatched ? " stroke=\"" SVG_PAPER "\" stroke-width=\"3\" paint-order=\"stroke\"" : "");
		svg_put(svg->out, words);
		svg_appear(svg, group->x);
		fputs("</text>\n", svg->out);
	}
	free(words);
}

static void draw_bar(void *arg, const struct svg_group *group)
{
	const struct svg *svg = ((struct bar_walk *)arg)->svg;
	const struct bar *bar = &group->first.bar;
	enum svg_fate fate = svg_group_fate(group);
	double y = svg->layout[bar->lane].row_top[bar->row], height = svg_depth_height(bar->row, bar->depth);
	for (size_t depth = 0; depth < bar->depth; depth++)
		y += svg_depth_height(bar->row, depth) + 1;
	fprintf(svg->out,
		"<rect id=\"e%zu\" class=\"%s\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.0f\" fill=\"%s\"",
		bar->index, svg_looks[fate].name, group->x, y, group->width, height, svg_looks[fate].fill);
	if (fate == SVG_REGION)
		fprintf(svg->out, " fill-opacity=\"%.2f\"", 0.4 + 0.6 * svg_group_shade(group));
	if (group->width >= 4)
		fputs(fate == SVG_GAP ? " stroke=\"" SVG_EDGE "\" stroke-width=\"0.5\""
				      : " stroke=\"" SVG_PAPER "\" stroke-width=\"0.5\"",
			svg->out);
	fputs(">", svg->out);
	svg_bar_title(svg, group);
	svg_grow(svg, group->x, group->width);
	fputs("</rect>\n", svg->out);
	put_words(svg, group, y, height);
}

static void fold_bar(void *arg, const struct bar *bar)
{
	struct bar_walk *walk = arg;
	const struct svg_lane *lane = &walk->svg->layout[bar->lane];
	if (bar->depth >= SVG_MAX_DEPTHS || !svg_shows(&walk->svg->scale, bar->from_ns, bar->until_ns))
		return;
	struct svg_bar seen = svg_bar_of(walk->svg, bar);
	svg_fold_bar(&walk->fold, lane->first_slot[bar->row] + bar->depth, &seen);
}

void svg_bars(const struct svg *svg)
{
	static const struct bar_sink sink = {.close = fold_bar};
	struct bar_walk walk = {.svg = svg};
	walk.fold = svg_fold_init(&svg->scale, svg->slots, draw_bar, &walk);
	fputs("<g id=\"bars\">\n", svg->out);
	bars_walk(svg->export->recording, &svg->lanes, &sink, &walk, svg->export->progress);
	svg_fold_end(&walk.fold);
	fputs("</g>\n", svg->out);
}

/* ---- points and arrows ---- */

struct point_walk {
	const struct svg *svg;
	size_t kinds; /* that are in the window: each has a slot in each lane */
	size_t kind_at[STMLOG_EVENT_KINDS];
	struct svg_dot_fold dots;
	struct svg_arrow_fold arrows;
};

static void draw_dots(void *arg, const struct svg_dots *dots)
{
	const struct svg *svg = ((struct point_walk *)arg)->svg;
	unsigned kind = svg_event(svg, dots->first.index)->kind;
	fprintf(svg->out, "<path id=\"e%zu\" class=\"%s\" ", dots->first.index, stmlog_event_name(kind));
	svg_point_shape(svg, kind, dots->total, dots->x, svg->layout[dots->first.lane].points_top);
	fputs(">", svg->out);
	svg_dots_title(svg, dots);
	svg_appear(svg, dots->x);
	fputs("</path>\n", svg->out);
}

static void draw_arrows(void *arg, const struct svg_arrows *arrows)
{
	const struct svg *svg = ((struct point_walk *)arg)->svg;
	const struct svg_lane *from = &svg->layout[arrows->first.arrow_lane], *to = &svg->layout[arrows->first.lane];
	bool is_down = from->top < to->top;
	double height = svg_depth_height(STMLOG_ROW_TRANSACTIONS, 0);
	double from_y = from->row_top[STMLOG_ROW_TRANSACTIONS] + height / 2;
	double to_y = to->row_top[STMLOG_ROW_TRANSACTIONS] + (is_down ? 7 : height - 7);
	fprintf(svg->out, "<path id=\"a%" PRIu64 "\" class=\"arrow\" d=\"M%.2f %.1f", arrows->first.arrow - 1,
		arrows->from_x, from_y);
	if (from == to)
		fprintf(svg->out, "q6 14 0 %.1f", height / 2 - 1);
	else
		fprintf(svg->out, "L%.2f %.1f", arrows->x, to_y);
	fprintf(svg->out,
		"\" stroke=\"" SVG_INK "\" stroke-opacity=\"0.8\" stroke-width=\"%.1f\" fill=\"none\" "
		"marker-end=\"url(#head)\">",
		svg_stroke(arrows->total));
	svg_arrows_title(svg, arrows);
	svg_appear(svg, arrows->x);
	fputs("</path>\n", svg->out);
}

static void note_open(void *arg, const struct bar *bar)
{
	struct point_walk *walk = arg;
	if (svg_event(walk->svg, bar->index)->kind == STMLOG_EVENT_START)
		walk->svg->layout[bar->lane].attempts_open++;
}

static void note_close(void *arg, const struct bar *bar)
{
	struct point_walk *walk = arg;
	if (svg_event(walk->svg, bar->index)->kind == STMLOG_EVENT_START)
		walk->svg->layout[bar->lane].attempts_open--;
}

static void fold_point(void *arg, const struct bar_point *point)
{
	struct point_walk *walk = arg;
	const struct svg *svg = walk->svg;
	if (svg_is_drawn(svg, point))
		svg_fold_dot(&walk->dots, point->lane * walk->kinds + walk->kind_at[svg_event(svg, point->index)->kind],
			point);
	if (point->is_arrow_end && svg_shows(&svg->scale, point->time_ns, point->time_ns))
		svg_fold_arrow(&walk->arrows, point);
}

void svg_points(const struct svg *svg)
{
	static const struct bar_sink sink = {note_open, note_close, fold_point};
	struct point_walk *walk = memory_zeroed(1, sizeof *walk);
	walk->svg = svg;
	for (size_t kind = 0; kind < STMLOG_EVENT_KINDS; kind++)
		if (svg->sums.points[kind] > 0)
			walk->kind_at[kind] = walk->kinds++;
	walk->dots = svg_dot_fold_init(&svg->scale, svg->lanes.len * walk->kinds, draw_dots, walk);
	walk->arrows.scale = &svg->scale;
	walk->arrows.grain = svg_arrow_grain(svg);
	walk->arrows.draw = draw_arrows;
	walk->arrows.arg = walk;
	fputs("<g id=\"points\">\n", svg->out);
	bars_walk(svg->export->recording, &svg->lanes, &sink, walk, NULL);
	svg_dot_fold_end(&walk->dots);
	svg_arrow_fold_end(&walk->arrows);
	fputs("</g>\n", svg->out);
	free(walk);
}

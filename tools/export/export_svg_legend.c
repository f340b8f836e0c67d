/* SPDX-License-Identifier: MIT
 * The legend: the meaning of the shapes and colours that are in the picture, in as many lines as needed. */
#include <string.h>

#include "export_svg.h"

enum { FIRST_LINE = 52, LINE = 15, MARK_WIDTH = 20, GAP = 16 };

enum shape { BAR, POINT, ARROW };

static const struct entry {
	enum shape shape;
	unsigned which; /* fate of a bar, kind of a point */
	const char *text;
} entries[] = {
	{BAR, SVG_COMMIT, "committed"},
	{BAR, SVG_ABORT, "aborted"},
	{BAR, SVG_OPEN, "end unknown"},
	{BAR, SVG_WAIT, "waits"},
	{BAR, SVG_GAP, "events missing"},
	{ARROW, 0, "made abort (thicker: more often)"},
	{POINT, STMLOG_EVENT_CONTENTION, "conflict found"},
	{POINT, STMLOG_EVENT_COUNTER, "counter"},
	{POINT, STMLOG_EVENT_MARK, "mark"},
	{BAR, SVG_TASK, "task"},
	{BAR, SVG_TOUCH, "waits for a task"},
	{BAR, SVG_REGION, "region, paler if slower"},
};

/* The position of the next entry. */
struct pen {
	double x, y;
};

static struct pen first_place(void)
{
	return (struct pen){SVG_LEFT, FIRST_LINE};
}

static bool is_in(const struct svg *svg, const struct entry *entry)
{
	switch (entry->shape) {
	case BAR:
		return svg->sums.bars[entry->which] > 0;
	case POINT:
		return svg->sums.points[entry->which] > 0;
	default:
		return svg->sums.arrows > 0;
	}
}

static double width_of(const struct entry *entry)
{
	return MARK_WIDTH + 6.2 * (double)strlen(entry->text) + GAP;
}

/* An entry that does not fit begins a new line. */
static struct pen place_of(const struct svg *svg, const struct entry *entry, struct pen pen)
{
	bool fits = pen.x == SVG_LEFT || pen.x + width_of(entry) <= svg->width;
	return fits ? pen : (struct pen){SVG_LEFT, pen.y + LINE};
}

double svg_legend_end(const struct svg *svg)
{
	struct pen pen = first_place();
	for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
		if (!is_in(svg, &entries[i]))
			continue;
		pen = place_of(svg, &entries[i], pen);
		pen.x += width_of(&entries[i]);
	}
	return pen.y;
}

static void put_shape(const struct svg *svg, const struct entry *entry, struct pen pen)
{
	if (entry->shape == BAR) {
		fprintf(svg->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"9\" fill=\"%s\"%s/>", pen.x,
			pen.y - 8, svg_looks[entry->which].fill,
			entry->which == SVG_GAP ? " stroke=\"" SVG_EDGE "\" stroke-width=\"0.5\"" : "");
	} else if (entry->shape == POINT) {
		fputs("<path ", svg->out);
		svg_point_shape(svg, entry->which, 1, pen.x + 9, pen.y - 9);
		fputs("/>", svg->out);
	} else {
		fprintf(svg->out,
			"<path d=\"M%.1f %.1fh16\" stroke=\"" SVG_INK "\" fill=\"none\" marker-end=\"url(#head)\"/>",
			pen.x, pen.y - 4);
	}
}

void svg_legend(const struct svg *svg)
{
	struct pen pen = first_place();
	fputs("<g id=\"legend\">\n", svg->out);
	for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
		if (!is_in(svg, &entries[i]))
			continue;
		pen = place_of(svg, &entries[i], pen);
		put_shape(svg, &entries[i], pen);
		svg_label(svg, pen.x + MARK_WIDTH, pen.y, "", entries[i].text, 100);
		pen.x += width_of(&entries[i]);
	}
	fputs("</g>\n", svg->out);
}

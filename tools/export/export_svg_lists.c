/* SPDX-License-Identifier: MIT
 * Below the lanes: the places and objects of the conflicts, most frequent first, and a note about bars that are not
 * drawn. */
#include <stdlib.h>

#include "export_svg.h"
#include "memory.h"
#include "number.h"

enum { LINE = 16, HEAD = 20, BOTTOM = 14, COUNT_WIDTH = 64, MARGIN = 12 };

static bool is_empty(const struct svg_conflicts *conflicts)
{
	return conflicts->len == 0 && conflicts->unknown == 0 && conflicts->uncounted == 0;
}

static size_t lines_of(const struct svg_conflicts *conflicts)
{
	return conflicts->len + (conflicts->others > 0) + (conflicts->unknown > 0) + (conflicts->uncounted > 0);
}

static size_t max_lines(const struct svg *svg)
{
	size_t sites = lines_of(&svg->sites), objects = lines_of(&svg->objects);
	return sites > objects ? sites : objects;
}

/* The number of lines about bars that are not drawn. */
static size_t notes(const struct svg *svg)
{
	return svg->sums.too_deep > 0;
}

double svg_lists_height(const struct svg *svg)
{
	size_t lines = max_lines(svg);
	return (double)(notes(svg) * LINE) + (lines > 0 ? (double)(HEAD + lines * LINE) : 0) + BOTTOM;
}

static void put_count(const struct svg *svg, double x, double y, uint64_t count)
{
	svg_label(svg, x + COUNT_WIDTH - 10, y, " text-anchor=\"end\"", number_count(count).text, 30);
}

/* Beside the count is a bar whose length is the share of the largest count. */
static void put_row(const struct svg *svg, const struct svg_conflict *row, uint64_t greatest, double x, double y)
{
	double room = svg->width / 2 - COUNT_WIDTH - 2 * MARGIN;
	fprintf(svg->out,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\" fill-opacity=\"0.18\"/>",
		x + COUNT_WIDTH, y - 12, room * (double)row->count / (double)greatest, LINE - 2,
		svg_looks[SVG_ABORT].fill);
	put_count(svg, x, y, row->count);
	svg_label(svg, x + COUNT_WIDTH + 4, y, "", row->name, (size_t)(room / 6.2));
}

static void put_rest(const struct svg *svg, uint64_t count, const char *what, double x, double *y)
{
	if (count == 0)
		return;
	put_count(svg, x, *y, count);
	svg_label(svg, x + COUNT_WIDTH + 4, *y, " fill=\"" SVG_QUIET "\" font-style=\"italic\"", what, 60);
	*y += LINE;
}

static void put_list(
	const struct svg *svg, const struct svg_conflicts *conflicts, const char *id, const char *title, double x)
{
	double y = svg->lists_top + (double)(notes(svg) * LINE);
	if (is_empty(conflicts))
		return;
	fprintf(svg->out, "<g id=\"%s\">\n", id);
	svg_label(svg, x, y, " font-weight=\"bold\"", title, 60);
	y += HEAD;
	for (size_t i = 0; i < conflicts->len; i++) {
		put_row(svg, &conflicts->rows[i], conflicts->rows[0].count, x, y);
		y += LINE;
	}
	char *others = memory_format("of %s others", number_count(conflicts->others).text);
	put_rest(svg, conflicts->other_count, others, x, &y);
	put_rest(svg, conflicts->unknown, "unknown", x, &y);
	put_rest(svg, conflicts->uncounted, "of too many different ones to be counted apart", x, &y);
	free(others);
	fputs("</g>\n", svg->out);
}

void svg_lists(const struct svg *svg)
{
	if (svg->sums.too_deep > 0) {
		char *note = memory_format("%s bars that lie deeper than %d others are not drawn",
			number_count(svg->sums.too_deep).text, SVG_MAX_DEPTHS - 1);
		svg_label(svg, MARGIN, svg->lists_top, " fill=\"" SVG_QUIET "\"", note, 200);
		free(note);
	}
	put_list(svg, &svg->sites, "sites", "Conflicts by place", MARGIN);
	put_list(svg, &svg->objects, "objects", "Conflicts by object", svg->width / 2 + MARGIN);
}

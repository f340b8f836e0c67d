/* SPDX-License-Identifier: MIT
 * Draws the boxes of the graph. Their ids are numbers of segments: of a box that stands for several, the first of
 * them. */
#include <stdlib.h>
#include <string.h>

#include "export_graph.h"
#include "memory.h"
#include "number.h"

/* Pixels of a letter and of the line, at the size of the words in boxes. */
static const double LETTER = 5.6, LINE = 12;

/* A box for so many segments has words behind it if it is too small for them. */
enum { MANY = 10 };

struct place {
	double x, y, width, height;
};

static struct place place_of(const struct graph *graph, const struct box *box)
{
	double x = graph_x(&graph->chain, box->from), width = graph_x(&graph->chain, box->until) - x;
	return (struct place){x, graph->boxes_top + graph->row_height * (double)box->row, width > 0.5 ? width : 0.5,
		graph->row_height * (double)box->rows};
}

/* "merge", "merge x 64", "x 64", "task 5", "1,023 segments"; the caller frees it. */
static char *words_of(const struct graph *graph, const struct box *box)
{
	const char *tag = box->tag != TASKS_NONE ? graph->work->regions.tags[box->tag].tag : "";
	const char *between = tag[0] != '\0' ? " " : "";
	if (box->leaves == 1)
		return graph_name(graph, box->leaf);
	if (box->copies == 0)
		return memory_format("%s segments", number_count(box->leaves).text);
	return memory_format("%s%sx %s", tag, between, number_count(box->copies).text);
}

/* The free pixels behind the box, in its rows. */
static double room_behind(const struct graph *graph, const struct box *box)
{
	double end = graph->chain.left + graph->chain.width;
	for (size_t i = 0; i < graph->boxes.len; i++) {
		const struct box *other = &graph->boxes.boxes[i];
		double x = graph_x(&graph->chain, other->from);
		if (other != box && other->from >= box->until && boxes_share_rows(other, box) && x < end)
			end = x;
	}
	return end - graph_x(&graph->chain, box->until);
}

static void begin_words(const struct graph *graph, double x, double y, const char *anchor, const char *ink)
{
	fprintf(graph->out,
		"<text x=\"%.1f\" y=\"%.1f\" font-size=\"10\" text-anchor=\"%s\" fill=\"%s\" pointer-events=\"none\"",
		x, y + 3.5, anchor, ink);
}

/* Along the box, or from bottom to top if there it has room; or behind it, if it stands for many. */
static void put_words(const struct graph *graph, const struct box *box, struct place place)
{
	char *words = words_of(graph, box);
	double x = place.x + place.width / 2, y = place.y + place.height / 2,
	       length = LETTER * (double)strlen(words) + 6;
	bool is_along = length <= place.width && LINE <= place.height;
	bool is_across = !is_along && length <= place.height && LINE <= place.width;
	bool is_many = box->copies > 1 || box->leaves >= MANY;
	bool is_behind =
		!is_along && !is_across && is_many && LINE <= place.height && length <= room_behind(graph, box);
	if (is_along || is_across)
		begin_words(graph, x, y, "middle", graph_ink(box->tag, box->speed));
	else if (is_behind)
		begin_words(graph, place.x + place.width + 3, y, "start", GRAPH_INK);
	if (is_across)
		fprintf(graph->out, " transform=\"rotate(-90 %.1f %.1f)\"", x, y);
	if (is_along || is_across || is_behind) {
		fputs(">", graph->out);
		graph_put(graph->out, words);
		fputs("</text>\n", graph->out);
	}
	free(words);
}

static void put_box(const struct graph *graph, const struct box *box)
{
	struct place place = place_of(graph, box);
	fprintf(graph->out,
		"<rect id=\"s%zu\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\" "
		"fill-opacity=\"%.2f\"",
		box->leaf, place.x, place.y, place.width, place.height, graph_fill(box->tag),
		graph_opacity(box->speed));
	if (place.width >= 3)
		fputs(" stroke=\"" GRAPH_PAPER "\" stroke-width=\"0.5\"", graph->out);
	fputs(">", graph->out);
	graph_box_title(graph, box);
	fputs("</rect>\n", graph->out);
	put_words(graph, box, place);
}

static void put_edge(const struct graph *graph, const struct box_edge *edge)
{
	struct place from = place_of(graph, &graph->boxes.boxes[edge->from]);
	struct place to = place_of(graph, &graph->boxes.boxes[edge->to]);
	double x = from.x + from.width, middle = (x + to.x) / 2;
	double from_y = from.y + from.height / 2, to_y = to.y + to.height / 2;
	fprintf(graph->out,
		"<path class=\"edge\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\" stroke=\"" GRAPH_INK
		"\" stroke-width=\"0.8\" stroke-opacity=\"0.6\" fill=\"none\" marker-end=\"url(#head)\"/>\n",
		x, from_y, middle, from_y, middle, to_y, to.x, to_y);
}

void graph_boxes(const struct graph *graph)
{
	FILE *out = graph->out;
	double height = graph->row_height * (double)graph->boxes.rows;
	struct graph_axis axis = {"chain", graph->chain, 0, graph->boxes_top - 6, graph->boxes_top + height};
	fprintf(out, "<rect y=\"%.1f\" width=\"%.0f\" height=\"%.1f\" fill=\"" GRAPH_STRIPE "\"/>\n", graph->boxes_top,
		graph->width, height);
	graph_label(out, 12, axis.y - 2, " font-weight=\"bold\"", "Fork-join graph", 20);
	graph_label(out, 12, graph->run_y - 2, " font-weight=\"bold\"", "Threads", 20);
	graph_axis(graph, &axis);
	fputs("<g id=\"graph\">\n", out);
	for (size_t i = 0; i < graph->edges.len; i++)
		put_edge(graph, &graph->edges.edges[i]);
	for (size_t i = 0; i < graph->boxes.len; i++)
		put_box(graph, &graph->boxes.boxes[i]);
	fputs("</g>\n", out);
}

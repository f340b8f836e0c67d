/* SPDX-License-Identifier: MIT
 * Who aborts whom, as a graph for graphviz. Nodes are places. An arrow goes from the culprit to its victim; its width
 * and colour are its share of all lost time. A node has the colour of the share in which its place is the victim or the
 * culprit. Pairs with little of the lost time are left out, and so are places that are in no other pair; the title says
 * how many, and how much they have lost.
 *
 * An unknown culprit is not one place: were it one node, that node would be the hub of the graph, although its arrows
 * have nothing in common. So it is a small node of its own beside each victim. */
#include <inttypes.h>
#include <stdlib.h>

#include "blame.h"
#include "estimate.h"
#include "export.h"
#include "memory.h"
#include "number.h"
#include "ranks.h"
#include "report.h"
#include "utf8.h"

/* With more arrows the layout is of no use. WIDEST: the largest ratio of two widths. */
enum { MAX_ARROWS = 50, WIDEST = 12 };

/* Pairs with a smaller share are left out. */
static const double MIN_SHARE = 0.005;

struct dot {
	struct report report;
	FILE *out;
	struct places *places;
	struct tally pairs;
	struct tally nodes;    /* the pairs in which each place is; key[0] is the place */
	struct ranks drawn;    /* places with a node */
	bool *is_drawn;        /* by pair */
	struct tally_sum rest; /* of the pairs that are left out */
	size_t rest_len;
};

/* Within quotes a backslash begins an escape, and '&' begins the name of a character. */
static void write_escaped(FILE *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		if (*text == '&')
			fputs("&amp;", out);
		else
			fputc(*text, out);
	}
}

static double part_of(uint64_t part, uint64_t whole)
{
	if (whole == 0 || part >= whole)
		return whole == 0 ? 0 : 1;
	return (double)part / (double)whole;
}

/* From 0 to 1. */
static double share_of(const struct dot *dot, const struct tally_sum *sum)
{
	const struct recording *recording = dot->report.recording;
	return part_of(estimate_of(recording, sum).ns, estimate_of_total(recording).ns);
}

/* ---- what is drawn ---- */

/* Whether the pair's culprit has a node of its own for this victim. */
static bool is_apart(const struct tally_row *pair)
{
	return pair->key[1] < PLACE_FIRST;
}

/* Pairs that are too few to say stand behind all others. */
static void choose_pairs(struct dot *dot)
{
	size_t known = tally_known(&dot->pairs, TALLY_LOST), drawn = 0;
	dot->is_drawn = memory_zeroed(dot->pairs.len, sizeof *dot->is_drawn);
	for (size_t i = 0; i < dot->pairs.len; i++) {
		const struct tally_row *pair = dot->pairs.rows[i];
		dot->is_drawn[i] = i < known && drawn < MAX_ARROWS && share_of(dot, &pair->sum) >= MIN_SHARE;
		if (dot->is_drawn[i]) {
			drawn++;
			ranks_add(&dot->drawn, pair->key[0]);
			if (!is_apart(pair))
				ranks_add(&dot->drawn, pair->key[1]);
		} else {
			tally_sum_add(&dot->rest, &pair->sum);
			dot->rest_len++;
		}
	}
	ranks_sort(&dot->drawn);
}

static void sum_nodes(struct dot *dot)
{
	dot->nodes = tally_make(dot->report.recording, 2 * dot->pairs.len);
	for (size_t i = 0; i < dot->pairs.len; i++) {
		const struct tally_row *pair = dot->pairs.rows[i];
		tally_add(&dot->nodes, pair->key[0], 0, &pair->sum);
		if (!is_apart(pair) && pair->key[1] != pair->key[0])
			tally_add(&dot->nodes, pair->key[1], 0, &pair->sum);
	}
	tally_group(&dot->nodes, TALLY_LOST);
}

/* ---- the title ---- */

static struct tally_sum sum_of_pairs(const struct dot *dot)
{
	struct tally_sum sum = {.count = 0};
	for (size_t i = 0; i < dot->pairs.len; i++)
		tally_sum_add(&sum, &dot->pairs.rows[i]->sum);
	return sum;
}

/* Losses without another transaction are in no pair. */
static void write_lost_to_others(const struct dot *dot)
{
	const struct recording *recording = dot->report.recording;
	struct tally_sum sum = sum_of_pairs(dot);
	if (estimate_is_too_few(recording, sum.count))
		fputs(", too few to say how much of it to other transactions", dot->out);
	else
		fprintf(dot->out, ", %s of it to other transactions", estimate_text(recording, &sum).text);
}

static void write_rest(const struct dot *dot)
{
	const struct recording *recording = dot->report.recording;
	size_t places = dot->nodes.len - dot->drawn.len;
	if (dot->rest_len == 0)
		return;
	fprintf(dot->out, "\\nnot drawn: %zu pair%s with little of the loss (", dot->rest_len,
		dot->rest_len == 1 ? "" : "s");
	if (estimate_is_too_few(recording, dot->rest.count))
		fputs("too few to say how much)", dot->out);
	else
		fprintf(dot->out, "%s in all)", estimate_text(recording, &dot->rest).text);
	if (places > 0)
		fprintf(dot->out, ", and %zu place%s that %s in no other pair", places, places == 1 ? "" : "s",
			places == 1 ? "is" : "are");
}

static void write_title(const struct dot *dot)
{
	const struct recording *recording = dot->report.recording;
	FILE *out = dot->out;
	struct recording_sum total = recording_total(recording);
	fprintf(out, "\tgraph [rankdir=LR, labelloc=t, label=\"");
	char *program = utf8_clean(symbol_basename(recording->info.program), UTF8_HIDE_CONTROLS);
	write_escaped(out, program);
	free(program);
	fprintf(out, ": %s lost in %s losses%s", estimate_text_total(recording).text, number_count(total.count).text,
		recording_is_sampled(recording) ? " measured" : "");
	write_lost_to_others(dot);
	write_rest(dot);
	fputs("\"];\n", out);
}

/* ---- nodes and arrows ---- */

/* From white to orange, pale enough for black letters. */
static void write_node(const struct dot *dot, const struct tally_row *node)
{
	char *name = report_place(&dot->report, dot->places, (uint32_t)node->key[0]);
	fprintf(dot->out, "\tplace%" PRIu64 " [label=\"", node->key[0]);
	write_escaped(dot->out, name);
	fprintf(dot->out, "\\nin %s of the loss\", fillcolor=\"0.07 %.2f 1.00\"%s];\n",
		estimate_share(dot->report.recording, &node->sum).text, 0.75 * share_of(dot, &node->sum),
		node->key[0] < PLACE_FIRST ? ", style=\"filled,dashed\"" : "");
	free(name);
}

static void write_nodes(const struct dot *dot)
{
	for (size_t i = 0; i < dot->nodes.len; i++) {
		if (ranks_find(&dot->drawn, dot->nodes.rows[i]->key[0]) != RANKS_NONE)
			write_node(dot, dot->nodes.rows[i]);
	}
}

/* A culprit that is no place: a small node for this victim alone. */
static void write_apart(const struct dot *dot, const struct tally_row *pair)
{
	fprintf(dot->out,
		"\tapart%" PRIu64 "_%" PRIu64
		" [label=\"%s\", shape=plaintext, style=\"\", fontsize=9, fontcolor=\"#777777\", width=0, height=0];\n",
		pair->key[1], pair->key[0], place_fixed_name((uint32_t)pair->key[1]));
}

/* From grey to red. */
static void write_arrow(const struct dot *dot, const struct tally_row *pair)
{
	const struct recording *recording = dot->report.recording;
	double part = share_of(dot, &pair->sum);
	if (is_apart(pair)) {
		write_apart(dot, pair);
		fprintf(dot->out, "\tapart%" PRIu64 "_%" PRIu64, pair->key[1], pair->key[0]);
	} else {
		fprintf(dot->out, "\tplace%" PRIu64, pair->key[1]);
	}
	fprintf(dot->out, " -> place%" PRIu64 " [penwidth=%.2f, color=\"0.02 %.2f 0.65\", label=\"%s %s%s\\n%s\"];\n",
		pair->key[0], 1 + (WIDEST - 1) * part, part, number_count(pair->sum.count).text,
		report_times(pair->sum.count), recording_is_sampled(recording) ? " measured" : "",
		estimate_in_a_line(recording, &pair->sum).text);
}

static void write_graph(const struct dot *dot)
{
	fputs("digraph \"who aborts whom\" {\n", dot->out);
	write_title(dot);
	fputs("\tnode [shape=box, style=filled];\n", dot->out);
	write_nodes(dot);
	for (size_t i = 0; i < dot->pairs.len; i++) {
		if (dot->is_drawn[i])
			write_arrow(dot, dot->pairs.rows[i]);
	}
	fputs("}\n", dot->out);
}

void export_dot(const struct export *export)
{
	struct dot dot = {.report = export_report(export), .out = export->out};
	dot.places = places_create(export->recording, export->symbols);
	dot.pairs = blame_pairs(export->recording, dot.places, TALLY_LOST);
	choose_pairs(&dot);
	sum_nodes(&dot);
	write_graph(&dot);
	free(dot.is_drawn);
	ranks_fini(&dot.drawn);
	tally_drop(&dot.nodes);
	tally_drop(&dot.pairs);
	places_destroy(&dot.places);
}

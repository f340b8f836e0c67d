/* SPDX-License-Identifier: MIT
 * Who aborts whom, as a graph for graphviz. Nodes are places. An arrow goes from the culprit to its victim; its width
 * is the share of all lost time. Of many pairs only the costliest are drawn; the title says how many are left out. */
#include <inttypes.h>
#include <stdlib.h>

#include "blame.h"
#include "estimate.h"
#include "export.h"
#include "number.h"
#include "ranks.h"
#include "report.h"
#include "utf8.h"

/* With more arrows the layout is of no use. WIDEST: the largest ratio of two widths. */
enum { MOST_ARROWS = 100, WIDEST = 12 };

struct dot {
	struct report report;
	FILE *out;
	struct places *places;
	struct tally pairs;
	size_t shown;
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

/* Losses without another transaction are in no pair. */
static struct number lost_to_others(const struct dot *dot)
{
	struct tally_sum sum = {.count = 0};
	for (size_t i = 0; i < dot->pairs.len; i++)
		tally_sum_add(&sum, &dot->pairs.rows[i]->sum);
	return estimate_text(dot->report.recording, &sum);
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
	fprintf(out, ": %s lost in %s losses%s, %s of it to other transactions", estimate_text_total(recording).text,
		number_count(total.count).text, recording_is_sampled(recording) ? " measured" : "",
		lost_to_others(dot).text);
	if (dot->shown < dot->pairs.len)
		fprintf(out, "; %zu pairs that lost less are not drawn", dot->pairs.len - dot->shown);
	fputs("\"];\n", out);
}

static void write_nodes(const struct dot *dot)
{
	struct ranks nodes = {.len = 0};
	for (size_t i = 0; i < dot->shown; i++) {
		ranks_add(&nodes, dot->pairs.rows[i]->key[0]);
		ranks_add(&nodes, dot->pairs.rows[i]->key[1]);
	}
	ranks_sort(&nodes);
	for (size_t i = 0; i < nodes.len; i++) {
		char *name = report_place(&dot->report, dot->places, (uint32_t)nodes.numbers[i]);
		fprintf(dot->out, "\tplace%" PRIu64 " [label=\"", nodes.numbers[i]);
		write_escaped(dot->out, name);
		fputs(nodes.numbers[i] < PLACE_FIRST ? "\", style=dashed];\n" : "\"];\n", dot->out);
		free(name);
	}
	ranks_fini(&nodes);
}

static double part_of(uint64_t part, uint64_t whole)
{
	if (whole == 0 || part >= whole)
		return whole == 0 ? 0 : 1;
	return (double)part / (double)whole;
}

static void write_arrow(const struct dot *dot, const struct tally_row *pair)
{
	const struct recording *recording = dot->report.recording;
	double part = part_of(estimate_of(recording, &pair->sum).ns, estimate_of_total(recording).ns);
	fprintf(dot->out, "\tplace%" PRIu64 " -> place%" PRIu64 " [penwidth=%.2f, label=\"%s %s%s\\n%s\"];\n",
		pair->key[1], pair->key[0], 1 + (WIDEST - 1) * part, number_count(pair->sum.count).text,
		report_times(pair->sum.count), recording_is_sampled(recording) ? " measured" : "",
		estimate_in_a_line(recording, &pair->sum).text);
}

void export_dot(const struct export *export)
{
	struct dot dot = {.report = export_report(export), .out = export->out};
	dot.places = places_create(export->recording, export->symbols);
	dot.pairs = blame_pairs(export->recording, dot.places, TALLY_LOST);
	dot.shown = dot.pairs.len < MOST_ARROWS ? dot.pairs.len : MOST_ARROWS;
	fputs("digraph \"who aborts whom\" {\n", export->out);
	write_title(&dot);
	fputs("\tnode [shape=box];\n", export->out);
	write_nodes(&dot);
	for (size_t i = 0; i < dot.shown; i++)
		write_arrow(&dot, dot.pairs.rows[i]);
	fputs("}\n", export->out);
	tally_drop(&dot.pairs);
	places_destroy(&dot.places);
}

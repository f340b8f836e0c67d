/* SPDX-License-Identifier: MIT
 * The colours of tasks, the heading and the legend. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export_graph.h"
#include "memory.h"
#include "number.h"

/* ---- colours ---- */

/* As red, green, blue. People with any kind of colour vision tell these apart. */
static const struct colour {
	const char *fill;
	unsigned char parts[3];
} colours[] = {
	{"#0072b2", {0x00, 0x72, 0xb2}},
	{"#f0b400", {0xf0, 0xb4, 0x00}},
	{"#009e73", {0x00, 0x9e, 0x73}},
	{"#cc79a7", {0xcc, 0x79, 0xa7}},
	{"#56b4e9", {0x56, 0xb4, 0xe9}},
	{"#d55e00", {0xd5, 0x5e, 0x00}},
	{"#6e6e6e", {0x6e, 0x6e, 0x6e}},
	{"#a8a8a8", {0xa8, 0xa8, 0xa8}},
};

enum { OTHER_TAGS = sizeof colours / sizeof colours[0] - 2, NO_TAG };

static const struct colour *colour_of(size_t tag)
{
	return &colours[tag == TASKS_NONE ? NO_TAG : tag < OTHER_TAGS ? tag : OTHER_TAGS];
}

const char *graph_fill(size_t tag)
{
	return colour_of(tag)->fill;
}

double graph_opacity(double speed)
{
	return 0.4 + 0.6 * speed;
}

/* At this luminance of the ground both inks have the same contrast to it. */
static const double MIDDLE = 0.179;

const char *graph_ink(size_t tag, double speed)
{
	static const double weights[3] = {0.2126, 0.7152, 0.0722};
	double luminance = 0;
	for (size_t i = 0; i < 3; i++) {
		double part = 1 - (1 - colour_of(tag)->parts[i] / 255.0) * graph_opacity(speed);
		luminance += weights[i] * pow(part, 2.2);
	}
	return luminance > MIDDLE ? "#000000" : "#ffffff";
}

/* ---- the legend ---- */

enum { FIRST_LINE = 52, LINE = 15, MARK_WIDTH = 20, GAP = 16, MAX_NAME = 32 };

struct entry {
	const char *fill;
	const char *text;
};

/* The entries are those of tags that have a colour of their own, and up to four more. */
enum { MAX_ENTRIES = OTHER_TAGS + 4 };

static bool has_untagged(const struct graph *graph)
{
	for (size_t i = 0; i < graph->work->tasks.segment_count; i++)
		if (graph->tags[i] == TASKS_NONE)
			return true;
	return false;
}

static size_t list_entries(const struct graph *graph, struct entry *entries)
{
	const struct regions *regions = &graph->work->regions;
	size_t len = 0;
	for (size_t i = 0; i < regions->tag_count && i < OTHER_TAGS; i++)
		entries[len++] = (struct entry){colours[i].fill, regions->tags[i].tag};
	if (regions->tag_count > OTHER_TAGS)
		entries[len++] = (struct entry){colours[OTHER_TAGS].fill, "other regions"};
	if (has_untagged(graph))
		entries[len++] = (struct entry){colours[NO_TAG].fill, "in no region"};
	entries[len++] = (struct entry){GRAPH_IDLE, "thread without a task"};
	if (regions->tag_count > 0)
		entries[len++] = (struct entry){NULL, "paler: slower than the fastest of its region"};
	return len;
}

struct pen {
	double x, y;
};

static void put_entry(const struct graph *graph, const struct entry *entry, struct pen pen)
{
	if (entry->fill != NULL)
		fprintf(graph->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"14\" height=\"9\" fill=\"%s\"/>", pen.x,
			pen.y - 8, entry->fill);
	graph_label(graph->out, pen.x + (entry->fill != NULL ? MARK_WIDTH : 0), pen.y, "", entry->text,
		entry->fill != NULL ? MAX_NAME : 100);
}

/* Returns where the pen is behind the entries; draws them unless `is_dry`. */
static struct pen write_entries(const struct graph *graph, bool is_dry)
{
	struct entry entries[MAX_ENTRIES];
	struct pen pen = {GRAPH_LEFT, FIRST_LINE};
	size_t len = list_entries(graph, entries);
	for (size_t i = 0; i < len; i++) {
		size_t letters = strlen(entries[i].text);
		double width =
			MARK_WIDTH + 6.2 * (double)(letters < MAX_NAME || entries[i].fill == NULL ? letters : MAX_NAME);
		if (pen.x > GRAPH_LEFT && pen.x + width > graph->width)
			pen = (struct pen){GRAPH_LEFT, pen.y + LINE};
		if (!is_dry)
			put_entry(graph, &entries[i], pen);
		pen.x += width + GAP;
	}
	return pen;
}

double graph_legend_end(const struct graph *graph)
{
	return write_entries(graph, true).y;
}

/* ---- the heading ---- */

static void say_sums(const struct graph *graph)
{
	const struct tasks *tasks = &graph->work->tasks;
	uint64_t time_ns = tasks_time_ns(tasks), longest_ns = tasks_longest_ns(tasks);
	graph_say(graph->out, "%s task%s in %s segment%s on %s thread%s: ", number_count(tasks->len).text,
		tasks->len == 1 ? "" : "s", number_count(tasks->segment_count).text,
		tasks->segment_count == 1 ? "" : "s", number_count(graph->lanes.len).text,
		graph->lanes.len == 1 ? "" : "s");
	graph_say(graph->out, "%s of work, longest chain %s", number_time(time_ns).text, number_time(longest_ns).text);
	if (longest_ns > 0)
		graph_say(graph->out, ", parallelism %.1f", (double)time_ns / (double)longest_ns);
	if (graph->edges.left_out > 0)
		graph_say(graph->out, "; %s further edges are not drawn", number_count(graph->edges.left_out).text);
}

void graph_heading(const struct graph *graph)
{
	const char *program = symbol_basename(graph->export->recording->info.program);
	bool is_named = program[0] != '\0';
	fputs("<title>", graph->out);
	graph_say(graph->out, "Tasks of %s", is_named ? program : "a program");
	fputs("</title>\n", graph->out);
	graph_label(graph->out, 12, 22, " font-size=\"15\" font-weight=\"bold\"", is_named ? program : "tasks", 60);
	fputs("<text id=\"sums\" x=\"12\" y=\"37\" fill=\"" GRAPH_QUIET "\">", graph->out);
	say_sums(graph);
	fputs("</text>\n<g id=\"legend\">\n", graph->out);
	(void)write_entries(graph, false);
	fputs("</g>\n", graph->out);
}

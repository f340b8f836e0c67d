/* SPDX-License-Identifier: MIT */
#include "picture.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"
#include "symbol.h"
#include "utf8.h"

#define QUIET "#555555"

/* Pixels. */
enum { WIDTH = 1200, LEFT = 12, FIRST_LINE = 52, AXIS = 20, GRAPH = 640, MIN_ROW = 13, MAX_ROW = 34, HEADING = 26 };

/* One of the two pictures in it. */
struct view {
	const struct picture *picture;
	FILE *out;
	const char *id, *heading;
	const struct layout *layout;
	bool is_of_time; /* the graph, not the creations */
	double row;      /* the height of one */
};

/* ---- text of any bytes in XML, outside of attributes ---- */

static const char *escape_of(char byte)
{
	return byte == '&' ? "&amp;" : byte == '<' ? "&lt;" : byte == '>' ? "&gt;" : NULL;
}

/* U+FFFE and U+FFFF are valid in UTF-8, but not in XML. */
static bool is_no_character(const char *text)
{
	return memcmp(text, "\xef\xbf", 2) == 0 && ((unsigned char)text[2] == 0xbe || (unsigned char)text[2] == 0xbf);
}

static void put_text(FILE *out, const char *text)
{
	char *clean = utf8_clean(text, UTF8_HIDE_CONTROLS);
	for (const char *at = clean; *at != '\0'; at++) {
		const char *escape = escape_of(*at);
		if (escape != NULL) {
			fputs(escape, out);
		} else if (at[0] == '\xef' && is_no_character(at)) {
			fputc('?', out);
			at += 2;
		} else {
			fputc(*at, out);
		}
	}
	free(clean);
}

static void say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(FILE *out, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;
	va_start(arguments, format);
	int len = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (len < 0)
		memory_end();
	put_text(out, text);
	free(text);
}

/* ---- colours ---- */

/* People with any kind of colour vision tell these apart. */
static const char *const fills[] = {
	"#0072b2", "#f0b400", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#6e6e6e", "#a8a8a8"};

enum { OTHER_TAGS = sizeof fills / sizeof fills[0] - 2, NO_TAG };

const char *picture_fill(size_t tag)
{
	return fills[tag == WORK_NONE ? NO_TAG : tag < OTHER_TAGS ? tag : OTHER_TAGS];
}

static double opacity_of(double speed)
{
	return 0.4 + 0.6 * speed;
}

/* At this luminance of the ground both inks have the same contrast to it. */
static const double MIDDLE = 0.179;

const char *picture_ink(size_t tag, double speed)
{
	static const double weights[3] = {0.2126, 0.7152, 0.0722};
	unsigned long fill = strtoul(picture_fill(tag) + 1, NULL, 16);
	double luminance = 0;
	for (int i = 0; i < 3; i++) {
		double colour = (double)(fill >> (8 * (2 - i)) & 0xff) / 255.0;
		luminance += weights[i] * pow(1 - (1 - colour) * opacity_of(speed), 2.2);
	}
	return luminance > MIDDLE ? "#000000" : "#ffffff";
}

/* ---- words ---- */

static const char *tag_name(const struct view *view, size_t tag)
{
	return tag != WORK_NONE ? view->picture->work->tags[tag].tag : "";
}

static const struct task *task_of(const struct view *view, const struct box *box)
{
	const struct work *work = view->picture->work;
	return &work->tasks[view->is_of_time ? work->segments[box->first].task : box->first];
}

/* "merge", "merge x 64", "task 5", "1,023 segments"; the caller frees it. */
static char *words_of(const struct view *view, const struct box *box)
{
	const char *tag = tag_name(view, box->tag);
	if (box->count == 1 && (tag[0] == '\0' || !view->is_of_time))
		return memory_format("task %" PRIu64, task_of(view, box)->number);
	if (box->count == 1)
		return memory_text(tag);
	if (box->is_alike && tag[0] != '\0')
		return memory_format("%s x %s", tag, number_count(box->count).text);
	return memory_format("%s %s", number_count(box->count).text, view->is_of_time ? "segments" : "tasks");
}

static void say_segment(const struct view *view, const struct box *box)
{
	const struct segment *segment = &view->picture->work->segments[box->first];
	const struct task *task = task_of(view, box);
	const struct recording *recording = view->picture->recording;
	const struct stmlog_thread_record *thread = recording_thread(recording, segment->thread);
	const char *name = thread != NULL ? recording_string(recording, thread->name) : "";
	bool is_named = name[0] != '\0';
	say(view->out, "task %" PRIu64 ", segment %zu of %zu%s", task->number, box->first - task->first_segment + 1,
		task->segment_count, segment->end == WORK_NONE ? ", open at the end" : "");
	fputc('\n', view->out);
	say(view->out, "%s from %s s on %s%sthread %" PRIu32 "%s", number_time(box->time_ns).text,
		number_since(recording->info.began_ns, segment->from_ns).text, name, is_named ? " (" : "",
		segment->thread, is_named ? ")" : "");
}

static void say_task(const struct view *view, const struct box *box)
{
	const struct task *task = task_of(view, box);
	say(view->out, "task %" PRIu64, task->number);
	fputc('\n', view->out);
	say(view->out, "%s of work in %zu segment%s", number_time(box->time_ns).text, task->segment_count,
		task->segment_count == 1 ? "" : "s");
	if (task->parent == WORK_NONE)
		return;
	fputc('\n', view->out);
	say(view->out, "created by task %" PRIu64, view->picture->work->tasks[task->parent].number);
}

static void say_many(const struct view *view, const struct box *box)
{
	say(view->out, "%s %s, drawn as one", number_count(box->count).text, view->is_of_time ? "segments" : "tasks");
	fputc('\n', view->out);
	say(view->out, "%s of work, each %s to %s", number_time(box->time_ns).text, number_time(box->min_ns).text,
		number_time(box->max_ns).text);
}

/* Shown by viewers when the pointer rests on the box. */
static void put_title(const struct view *view, const struct box *box)
{
	fputs("<title>", view->out);
	if (box->count > 1)
		say_many(view, box);
	else if (view->is_of_time)
		say_segment(view, box);
	else
		say_task(view, box);
	if (box->tag != WORK_NONE) {
		fputc('\n', view->out);
		say(view->out, "region %s, speed %.1f %% of the fastest one", tag_name(view, box->tag),
			100 * box->speed);
	}
	fputs("</title>", view->out);
}

/* ---- boxes and edges ---- */

/* Pixels of a letter, at the size of the words in boxes, and around the words. */
static const double LETTER = 5.6, MARGIN = 6;

struct rectangle {
	double x, y, width;
};

static double x_of(const struct view *view, uint64_t at)
{
	double width = WIDTH - 2 * LEFT;
	return view->layout->extent > 0 ? LEFT + width * (double)at / (double)view->layout->extent : LEFT;
}

static struct rectangle rectangle_of(const struct view *view, const struct box *box)
{
	double x = x_of(view, box->from), width = x_of(view, box->until) - x;
	return (struct rectangle){x, AXIS + view->row * (double)box->row, width > 0.5 ? width : 0.5};
}

static void put_box(const struct view *view, size_t number)
{
	const struct box *box = &view->layout->boxes[number];
	struct rectangle at = rectangle_of(view, box);
	char *words = words_of(view, box);
	fprintf(view->out,
		"<rect id='%s%zu' class='box' x='%.2f' y='%.1f' width='%.2f' height='%.1f' fill='%s' "
		"fill-opacity='%.2f' stroke='#ffffff' stroke-width='%s'>",
		view->id, number, at.x, at.y, at.width, view->row, picture_fill(box->tag), opacity_of(box->speed),
		at.width >= 3 ? "0.5" : "0");
	put_title(view, box);
	fputs("</rect>\n", view->out);
	if (LETTER * (double)strlen(words) + MARGIN <= at.width) {
		fprintf(view->out,
			"<text x='%.1f' y='%.1f' font-size='10' text-anchor='middle' fill='%s' pointer-events='none'>",
			at.x + at.width / 2, at.y + view->row / 2 + 3.5, picture_ink(box->tag, box->speed));
		put_text(view->out, words);
		fputs("</text>\n", view->out);
	}
	free(words);
}

static void put_edge(const struct view *view, const struct box_edge *edge)
{
	struct rectangle from = rectangle_of(view, &view->layout->boxes[edge->from]);
	struct rectangle to = rectangle_of(view, &view->layout->boxes[edge->to]);
	double x = from.x + from.width, middle = (x + to.x) / 2, from_y = from.y + view->row / 2;
	double to_y = to.y + view->row / 2;
	fprintf(view->out,
		"<path class='edge' d='M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f' stroke='#222222' stroke-width='0.8' "
		"stroke-opacity='0.6' fill='none'/>\n",
		x, from_y, middle, from_y, middle, to_y, to.x, to_y);
}

/* ---- the axis ---- */

/* 1, 2 or 5 times a power of ten, so that about this many are in the extent. */
static uint64_t tick_of(uint64_t extent, uint64_t count)
{
	static const uint64_t steps[] = {1, 2, 5};
	uint64_t power = 1;
	for (;; power *= 10)
		for (int i = 0; i < 3; i++)
			if (extent / count <= power * steps[i] || power > UINT64_MAX / 100)
				return power * steps[i];
}

static void put_axis(const struct view *view)
{
	double bottom = AXIS + view->row * (double)view->layout->rows;
	uint64_t tick = tick_of(view->layout->extent, 8);
	if (!view->is_of_time)
		fprintf(view->out, "<text x='%d' y='13' fill='" QUIET "'>creations, from left to right</text>\n", LEFT);
	for (uint64_t at = 0; view->is_of_time && at <= view->layout->extent; at += tick) {
		double x = x_of(view, at);
		fprintf(view->out, "<path d='M%.1f 5V%.1f' stroke='#000000' stroke-opacity='0.15'/>", x, bottom);
		if (x + MARGIN + LETTER * 10 < WIDTH)
			fprintf(view->out, "<text x='%.1f' y='13' fill='" QUIET "'>%s</text>", x + 3,
				number_time(at).text);
		fputc('\n', view->out);
	}
}

/* ---- the whole ---- */

static double height_of(const struct view *view)
{
	return AXIS + view->row * (double)view->layout->rows + 4;
}

static struct view view_of(const struct picture *picture, FILE *out, bool is_of_time)
{
	struct view view = {picture, out, is_of_time ? "graph" : "creations",
		is_of_time ? "Fork-join graph" : "Creations", is_of_time ? &picture->graph : &picture->creations,
		is_of_time, MAX_ROW};
	double row = view.layout->rows > 0 ? GRAPH / (double)view.layout->rows : MAX_ROW;
	view.row = row < MIN_ROW ? MIN_ROW : row > MAX_ROW ? MAX_ROW : row;
	return view;
}

static void begin_element(const struct view *view, double y, double height)
{
	fprintf(view->out,
		"<svg id='%s' y='%.1f' width='%d' height='%.1f' viewBox='0 0 %d %.1f' "
		"font-family='sans-serif' font-size='11'>\n",
		view->id, y, WIDTH, height, WIDTH, height);
}

/* Returns where the view ends. */
static double put_view(const struct view *view, double y)
{
	double height = height_of(view);
	fprintf(view->out, "<text x='%d' y='%.1f' font-weight='bold'>%s</text>\n", LEFT, y + HEADING - 8,
		view->heading);
	begin_element(view, y + HEADING, height);
	put_axis(view);
	for (size_t i = 0; i < view->layout->edge_count; i++)
		put_edge(view, &view->layout->edges[i]);
	for (size_t i = 0; i < view->layout->len; i++)
		put_box(view, i);
	fputs("</svg>\n", view->out);
	return y + HEADING + height;
}

static void put_sums(const struct view *view)
{
	const struct work *work = view->picture->work;
	uint64_t time_ns = work_time_ns(work), longest_ns = work_longest_ns(work);
	fprintf(view->out, "<text id='sums' x='%d' y='37' fill='" QUIET "'>", LEFT);
	say(view->out, "%s task%s in %s segment%s: ", number_count(work->task_count).text,
		work->task_count == 1 ? "" : "s", number_count(work->segment_count).text,
		work->segment_count == 1 ? "" : "s");
	say(view->out, "%s of work, longest chain %s", number_time(time_ns).text, number_time(longest_ns).text);
	if (longest_ns > 0)
		say(view->out, ", parallelism %.1f", (double)time_ns / (double)longest_ns);
	size_t left_out = view->picture->graph.edges_left_out + view->picture->creations.edges_left_out;
	if (left_out > 0)
		say(view->out, "; %s further edges are not drawn", number_count(left_out).text);
	fputs("</text>\n", view->out);
}

/* Writes the entry at the place, if it is on the line and has a fill; returns the place of the next one. */
static double put_entry(const struct view *view, double x, const char *fill, const char *text)
{
	double width = 20 + LETTER * 1.1 * (double)strlen(text) + 16;
	if (x + width <= WIDTH) {
		fprintf(view->out, "<rect x='%.1f' y='4' width='14' height='9' fill='%s'/><text x='%.1f' y='12'>", x,
			fill, x + 20);
		put_text(view->out, text);
		fputs("</text>\n", view->out);
	}
	return x + width;
}

static void put_legend(const struct view *view)
{
	const struct work *work = view->picture->work;
	double x = LEFT;
	bool has_untagged = false;
	for (size_t i = 0; i < work->segment_count; i++)
		has_untagged |= work->segments[i].region == WORK_NONE;
	for (size_t i = 0; i < work->tag_count && i < OTHER_TAGS; i++)
		x = put_entry(view, x, fills[i], work->tags[i].tag);
	if (work->tag_count > OTHER_TAGS)
		x = put_entry(view, x, fills[OTHER_TAGS], "other regions");
	if (has_untagged)
		x = put_entry(view, x, fills[NO_TAG], "in no region");
	if (work->tag_count > 0)
		put_entry(view, x, "none", "paler: slower than the fastest of its region");
}

struct picture picture_of(const struct recording *recording, const struct work *work)
{
	return (struct picture){recording, work, layout_graph(work), layout_creations(work)};
}

void picture_fini(struct picture *picture)
{
	layout_fini(&picture->graph);
	layout_fini(&picture->creations);
}

void picture_write(const struct picture *picture, FILE *out)
{
	const char *program = symbol_basename(picture->recording->info.program);
	struct view graph = view_of(picture, out, true), creations = view_of(picture, out, false), legend = graph;
	double height = FIRST_LINE + height_of(&graph) + height_of(&creations) + 2 * HEADING + 8;
	legend.id = "legend";
	fprintf(out,
		"<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%.1f' viewBox='0 0 %d %.1f' "
		"font-family='sans-serif' font-size='11'>\n<title>Tasks of ",
		WIDTH, height, WIDTH, height);
	put_text(out, program[0] != '\0' ? program : "a program");
	fputs("</title>\n<rect width='100%' height='100%' fill='#ffffff'/>\n", out);
	fprintf(out, "<text x='%d' y='22' font-size='15' font-weight='bold'>", LEFT);
	put_text(out, program[0] != '\0' ? program : "tasks");
	fputs("</text>\n", out);
	put_sums(&graph);
	begin_element(&legend, FIRST_LINE - 12, 18);
	put_legend(&legend);
	fputs("</svg>\n", out);
	put_view(&creations, put_view(&graph, FIRST_LINE));
	fputs("</svg>\n", out);
}

/* SPDX-License-Identifier: MIT
 * The tasks for the page: boxes as boxes.h lays them out, of the graph and of the tree of creations, and the segments,
 * each with its box in both. */
#include <inttypes.h>
#include <stdlib.h>

#include <stmlog/timeline.h>

#include "check.h"
#include "columns.h"
#include "json_value.h"
#include "memory.h"
#include "page.h"
#include "report_json.h"
#include "work_boxes.h"

/* Of more segments the page has the longest ones, and the boxes of all. */
enum { SEGMENTS_MAX = 60000 };
static const struct box_room ROOM = {.rows = 64, .boxes = 4000};

enum box_column {
	BOX_FROM,
	BOX_UNTIL,
	BOX_ROW,
	BOX_ROWS,
	BOX_LEAVES,
	BOX_COPIES,
	BOX_TIME,
	BOX_MIN,
	BOX_MAX,
	BOX_TAG,
	BOX_SPEED,
	BOX_COLUMNS
};
static const char *const box_names[BOX_COLUMNS] = {
	[BOX_FROM] = "from",
	[BOX_UNTIL] = "until",
	[BOX_ROW] = "row",
	[BOX_ROWS] = "rows",
	[BOX_LEAVES] = "leaves",
	[BOX_COPIES] = "copies",
	[BOX_TIME] = "time",
	[BOX_MIN] = "min",
	[BOX_MAX] = "max",
	[BOX_TAG] = "tag",     /* its number in "tags" + 1; 0: none */
	[BOX_SPEED] = "speed", /* in parts of 1,000 */
};

enum segment_column {
	SEGMENT_TASK,
	SEGMENT_PART,
	SEGMENT_LANE,
	SEGMENT_FROM,
	SEGMENT_TIME,
	SEGMENT_TAG,
	SEGMENT_SPEED,
	SEGMENT_BOX,
	SEGMENT_NODE,
	SEGMENT_COLUMNS
};
static const char *const segment_names[SEGMENT_COLUMNS] = {
	[SEGMENT_TASK] = "task", /* its place in "tasks" */
	[SEGMENT_PART] = "part", /* the how manieth of the task, from 1 on */
	[SEGMENT_LANE] = "lane",
	[SEGMENT_FROM] = "from",
	[SEGMENT_TIME] = "time",
	[SEGMENT_TAG] = "tag",
	[SEGMENT_SPEED] = "speed",
	[SEGMENT_BOX] = "box",   /* of the graph */
	[SEGMENT_NODE] = "node", /* the box of its task in the tree of creations */
};

struct drawing {
	const struct report *report;
	const struct work *work;
	struct boxes graph, creations;
	struct bar_lanes lanes;
	size_t *tags; /* of segments */
	uint64_t origin_ns;
};

/* A part of 1,000. */
static uint64_t per_mille(double speed)
{
	return (uint64_t)(1000 * speed + 0.5);
}

/* ---- boxes ---- */

static void write_boxes(const struct report *report, const char *name, const struct boxes *boxes)
{
	struct column columns[BOX_COLUMNS] = {{0}};
	for (size_t i = 0; i < boxes->len; i++) {
		const struct box *box = &boxes->boxes[i];
		uint64_t row[BOX_COLUMNS] = {[BOX_FROM] = box->from,
			[BOX_UNTIL] = box->until,
			[BOX_ROW] = box->row,
			[BOX_ROWS] = box->rows,
			[BOX_LEAVES] = box->leaves,
			[BOX_COPIES] = box->copies,
			[BOX_TIME] = box->time_ns,
			[BOX_MIN] = box->min_ns,
			[BOX_MAX] = box->max_ns,
			[BOX_TAG] = box->tag != TASKS_NONE ? box->tag + 1 : 0,
			[BOX_SPEED] = per_mille(box->speed)};
		columns_add_row(columns, BOX_COLUMNS, row);
	}
	columns_write(report, name, columns, box_names, BOX_COLUMNS, SIZE_MAX);
	columns_fini(columns, BOX_COLUMNS);
}

static void write_edges(const struct drawing *drawing)
{
	static const char *const names[] = {"from", "to"};
	struct column columns[2] = {{0}};
	struct box_edges edges = work_graph_edges(drawing->work, &drawing->graph);
	for (size_t i = 0; i < edges.len; i++)
		columns_add_row(columns, 2, (const uint64_t[]){edges.edges[i].from, edges.edges[i].to});
	columns_write(drawing->report, "edges", columns, names, 2, SIZE_MAX);
	columns_fini(columns, 2);
	free(edges.edges);
}

/* ---- segments ---- */

struct length {
	uint64_t time_ns;
	size_t segment;
};

static int compare_lengths(const void *a, const void *b)
{
	const struct length *left = a, *right = b;
	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? -1 : 1;
	return left->segment < right->segment ? -1 : left->segment > right->segment;
}

/* Shortest first, since columns have the last rows. */
static struct length *list_lengths(const struct tasks *tasks)
{
	struct length *lengths = memory_zeroed(tasks->segment_count, sizeof *lengths);
	for (size_t i = 0; i < tasks->segment_count; i++)
		lengths[i] = (struct length){tasks->segments[i].until_ns - tasks->segments[i].from_ns, i};
	qsort(lengths, tasks->segment_count, sizeof *lengths, compare_lengths);
	return lengths;
}

static double speed_of(const struct work *work, size_t segment)
{
	size_t region = regions_of_segment(&work->regions, segment);
	return region != TASKS_NONE ? work->regions.regions[region].relative : 1;
}

static void add_segment(const struct drawing *drawing, struct column *columns, size_t number)
{
	const struct segment *segment = &drawing->work->tasks.segments[number];
	const struct task *task = &drawing->work->tasks.tasks[segment->task];
	size_t tag = drawing->tags[number];
	uint64_t row[SEGMENT_COLUMNS] = {[SEGMENT_TASK] = segment->task,
		[SEGMENT_PART] = number - task->first_segment + 1,
		[SEGMENT_LANE] = bar_lane_of(&drawing->lanes, segment->thread),
		[SEGMENT_FROM] = segment->from_ns - drawing->origin_ns,
		[SEGMENT_TIME] = segment->until_ns - segment->from_ns,
		[SEGMENT_TAG] = tag != TASKS_NONE ? tag + 1 : 0,
		[SEGMENT_SPEED] = per_mille(speed_of(drawing->work, number)),
		[SEGMENT_BOX] = drawing->graph.of_leaves[number],
		[SEGMENT_NODE] = drawing->creations.of_leaves[segment->task]};
	columns_add_row(columns, SEGMENT_COLUMNS, row);
}

static void write_segments(const struct drawing *drawing)
{
	const struct tasks *tasks = &drawing->work->tasks;
	struct column columns[SEGMENT_COLUMNS] = {{0}};
	struct length *lengths = list_lengths(tasks);
	for (size_t i = 0; i < tasks->segment_count; i++)
		add_segment(drawing, columns, lengths[i].segment);
	columns_write(drawing->report, "segments", columns, segment_names, SEGMENT_COLUMNS, SEGMENTS_MAX);
	columns_fini(columns, SEGMENT_COLUMNS);
	free(lengths);
}

/* ---- lists ---- */

/* The numbers of tasks are the program's, of 64 bits: texts, since browsers have numbers of 53. */
static void write_tasks(const struct drawing *drawing)
{
	const struct tasks *tasks = &drawing->work->tasks;
	printer_text(drawing->report->out, ",\n \"tasks\": [");
	for (size_t i = 0; i < tasks->len; i++)
		printer_format(drawing->report->out, "%s\"%" PRIu64 "\"", i > 0 ? "," : "", tasks->tasks[i].number);
	printer_text(drawing->report->out, "],\n \"parents\": [");
	for (size_t i = 0; i < tasks->len; i++)
		printer_format(drawing->report->out, "%s%zu", i > 0 ? "," : "",
			tasks->tasks[i].parent != TASKS_NONE ? tasks->tasks[i].parent + 1 : 0);
	printer_text(drawing->report->out, "]");
}

static void write_tags(const struct drawing *drawing)
{
	const struct regions *regions = &drawing->work->regions;
	report_json_array(drawing->report, "tags");
	for (size_t i = 0; i < regions->tag_count; i++)
		report_json_element(drawing->report, i, string(regions->tags[i].tag));
	printer_text(drawing->report->out, "]");
}

void page_tasks(const struct report *report, const struct work *work)
{
	REQUIRES(work->fault == NULL);
	struct drawing drawing = {report, work, work_graph_boxes(work, ROOM), work_creation_boxes(work, ROOM),
		bar_lanes_of(report->recording), work_segment_tags(work), page_origin_ns(report->recording)};
	printer_format(report->out, "{\"work_ns\": %" PRIu64 ", \"longest_ns\": %" PRIu64, tasks_time_ns(&work->tasks),
		tasks_longest_ns(&work->tasks));
	report_json_member(report, "lanes", page_lanes(&drawing.lanes));
	write_tags(&drawing);
	report_json_member(report, "waits", report_json_task_waits(report->recording, &work->tasks));
	write_boxes(report, "graph", &drawing.graph);
	write_edges(&drawing);
	write_boxes(report, "creations", &drawing.creations);
	write_tasks(&drawing);
	write_segments(&drawing);
	printer_text(report->out, "}");
	boxes_fini(&drawing.graph);
	boxes_fini(&drawing.creations);
	bar_lanes_fini(&drawing.lanes);
	free(drawing.tags);
}

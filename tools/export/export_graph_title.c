/* SPDX-License-Identifier: MIT
 * Titles of boxes and segments, which viewers show when the pointer rests on them. */
#include <inttypes.h>
#include <stdlib.h>

#include "export_graph.h"
#include "memory.h"
#include "number.h"

static const struct task *task_of(const struct graph *graph, size_t segment)
{
	return &graph->work->tasks.tasks[graph->work->tasks.segments[segment].task];
}

char *graph_name(const struct graph *graph, size_t segment)
{
	size_t tag = graph->tags[segment];
	return tag != TASKS_NONE ? memory_text(graph->work->regions.tags[tag].tag)
				 : memory_format("task %" PRIu64, task_of(graph, segment)->number);
}

static void end_line(const struct graph *graph)
{
	fputc('\n', graph->out);
}

static void say_region(const struct graph *graph, size_t tag, double speed)
{
	if (tag == TASKS_NONE)
		return;
	end_line(graph);
	graph_say(graph->out, "region %s, speed %.1f %% of the fastest one", graph->work->regions.tags[tag].tag,
		100 * speed);
}

/* "worker (thread 3)" or "thread 3"; the caller frees it. */
static char *thread_name(const struct graph *graph, uint32_t thread)
{
	size_t lane = bar_lane_of(&graph->lanes, thread);
	const char *name = lane != BAR_NONE ? graph->lanes.lanes[lane].name : "";
	return name[0] != '\0' ? memory_format("%s (thread %" PRIu32 ")", name, thread)
			       : memory_format("thread %" PRIu32, thread);
}

static void say_segment(const struct graph *graph, size_t number)
{
	const struct segment *segment = &graph->work->tasks.segments[number];
	const struct task *task = task_of(graph, number);
	char *thread = thread_name(graph, segment->thread);
	graph_say(graph->out, "task %" PRIu64 ", segment %zu of %zu%s", task->number, number - task->first_segment + 1,
		task->segment_count, segment->end == TASKS_NONE ? ", open at the end" : "");
	end_line(graph);
	graph_say(graph->out, "%s from %s s on %s", number_time(segment->until_ns - segment->from_ns).text,
		number_decimal(segment->from_ns - graph->origin_ns, NUMBER_S, 9).text, thread);
	free(thread);
}

/* Several segments: equal parts, or what is drawn as one for want of room. */
static void say_segments(const struct graph *graph, const struct box *box)
{
	graph_say(graph->out, "%s segments%s", number_count(box->leaves).text,
		box->copies > 0 ? " of equal parts of the graph" : ", drawn as one");
	end_line(graph);
	graph_say(graph->out, "%s of work, each %s to %s", number_time(box->time_ns).text,
		number_time(box->min_ns).text, number_time(box->max_ns).text);
}

void graph_segment_title(const struct graph *graph, size_t segment)
{
	size_t region = regions_of_segment(&graph->work->regions, segment);
	fputs("<title>", graph->out);
	say_segment(graph, segment);
	if (region != TASKS_NONE)
		say_region(graph, graph->tags[segment], graph->work->regions.regions[region].relative);
	fputs("</title>", graph->out);
}

void graph_box_title(const struct graph *graph, const struct box *box)
{
	fputs("<title>", graph->out);
	if (box->leaves == 1)
		say_segment(graph, box->leaf);
	else
		say_segments(graph, box);
	say_region(graph, box->tag, box->speed);
	fputs("</title>", graph->out);
}

/* SPDX-License-Identifier: MIT */
#include "work_boxes.h"

#include <stdlib.h>

#include "check.h"
#include "dictionary.h"
#include "memory.h"

/* Returns the tag of each region; owned. */
static size_t *tags_of_regions(const struct regions *regions)
{
	struct dictionary numbers = {.len = 0};
	size_t *tags = memory_zeroed(regions->len, sizeof *tags);
	for (size_t i = 0; i < regions->tag_count; i++)
		(void)dictionary_find(&numbers, regions->tags[i].tag);
	for (size_t i = 0; i < regions->len; i++)
		tags[i] = dictionary_find(&numbers, regions->regions[i].tag)->number - 1;
	dictionary_fini(&numbers);
	return tags;
}

size_t *work_segment_tags(const struct work *work)
{
	REQUIRES(work->fault == NULL);
	size_t *tags = memory_zeroed(work->tasks.segment_count, sizeof *tags),
	       *of_regions = tags_of_regions(&work->regions);
	for (size_t i = 0; i < work->tasks.segment_count; i++) {
		size_t region = regions_of_segment(&work->regions, i);
		tags[i] = region != TASKS_NONE ? of_regions[region] : TASKS_NONE;
	}
	free(of_regions);
	return tags;
}

static double speed_of(const struct work *work, size_t segment)
{
	size_t region = regions_of_segment(&work->regions, segment);
	return region != TASKS_NONE ? work->regions.regions[region].relative : 1;
}

static struct box_leaf *leaves_of_segments(const struct work *work)
{
	const struct tasks *tasks = &work->tasks;
	struct box_leaf *leaves = memory_zeroed(tasks->segment_count, sizeof *leaves);
	uint64_t *earliest_ns = tasks_earliest_ns(tasks);
	size_t *tags = work_segment_tags(work);
	for (size_t i = 0; i < tasks->segment_count; i++) {
		uint64_t time_ns = tasks->segments[i].until_ns - tasks->segments[i].from_ns;
		leaves[i] = (struct box_leaf){
			earliest_ns[i], earliest_ns[i] + time_ns, time_ns, tags[i], speed_of(work, i)};
	}
	free(earliest_ns);
	free(tags);
	return leaves;
}

struct boxes work_graph_boxes(const struct work *work, struct box_room room)
{
	REQUIRES(work->fault == NULL);
	struct nest nest = nest_of_graph(&work->tasks);
	struct box_leaf *leaves = leaves_of_segments(work);
	struct boxes boxes = boxes_of(&nest, leaves, work->tasks.segment_count, room);
	free(leaves);
	nest_fini(&nest);
	return boxes;
}

/* ---- edges ---- */

static int compare_edges(const void *a, const void *b)
{
	const struct box_edge *left = a, *right = b;
	if (left->from != right->from)
		return left->from < right->from ? -1 : 1;
	return left->to < right->to ? -1 : left->to > right->to;
}

static size_t count_edges(const struct tasks *tasks)
{
	size_t count = 0;
	for (size_t i = 0; i < tasks->segment_count; i++)
		count += tasks->segments[i].child_count;
	return count;
}

/* Boxes of common rows show by their order which leads to which. */
static size_t list_edges(const struct tasks *tasks, const struct boxes *boxes, struct box_edge *edges)
{
	size_t len = 0;
	for (size_t i = 0; i < tasks->segment_count; i++) {
		size_t from = boxes->of_leaves[i];
		for (size_t k = 0; k < tasks->segments[i].child_count; k++) {
			size_t to = boxes->of_leaves[tasks->segments[i].children[k]];
			if (!boxes_share_rows(&boxes->boxes[from], &boxes->boxes[to]))
				edges[len++] = (struct box_edge){from, to};
		}
	}
	return len;
}

struct box_edges work_graph_edges(const struct work *work, const struct boxes *boxes)
{
	const struct tasks *tasks = &work->tasks;
	REQUIRES(work->fault == NULL);
	struct box_edge *edges = memory_zeroed(count_edges(tasks), sizeof *edges);
	size_t len = list_edges(tasks, boxes, edges), kept = 0;
	qsort(edges, len, sizeof *edges, compare_edges);
	for (size_t i = 0; i < len; i++)
		if (kept == 0 || compare_edges(&edges[kept - 1], &edges[i]) != 0)
			edges[kept++] = edges[i];
	size_t shown = kept < BOX_EDGES_MAX ? kept : BOX_EDGES_MAX;
	return (struct box_edges){edges, shown, kept - shown};
}

/* ---- creations ---- */

/* A task's longest segment gives it its tag and its speed. */
static struct box_leaf leaf_of_task(const struct box_leaf *segments, const struct task *task, uint64_t depth)
{
	struct box_leaf leaf = {depth, depth + 1, 0, TASKS_NONE, 1};
	uint64_t longest_ns = 0;
	for (size_t i = 0; i < task->segment_count; i++) {
		const struct box_leaf *segment = &segments[task->first_segment + i];
		leaf.time_ns += segment->time_ns;
		if (i > 0 && segment->time_ns <= longest_ns)
			continue;
		longest_ns = segment->time_ns;
		leaf.tag = segment->tag;
		leaf.speed = segment->speed;
	}
	return leaf;
}

struct boxes work_creation_boxes(const struct work *work, struct box_room room)
{
	const struct tasks *tasks = &work->tasks;
	REQUIRES(work->fault == NULL);
	struct nest nest = nest_of_creations(tasks);
	struct box_leaf *segments = leaves_of_segments(work);
	struct box_leaf *leaves = memory_zeroed(tasks->len, sizeof *leaves);
	for (size_t i = 0; i < tasks->len; i++) {
		size_t parent = tasks->tasks[i].parent;
		leaves[i] = leaf_of_task(segments, &tasks->tasks[i], parent != TASKS_NONE ? leaves[parent].until : 0);
	}
	struct boxes boxes = boxes_of(&nest, leaves, tasks->len, room);
	free(segments);
	free(leaves);
	nest_fini(&nest);
	return boxes;
}

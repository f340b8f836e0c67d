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

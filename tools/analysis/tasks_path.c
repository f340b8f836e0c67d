/* SPDX-License-Identifier: MIT
 * The sum of the segments' times, and the longest path through their graph. */
#include <stdlib.h>

#include "memory.h"
#include "tasks.h"

static uint64_t length_ns(const struct segment *segment)
{
	return segment->until_ns - segment->from_ns;
}

uint64_t tasks_time_ns(const struct tasks *tasks)
{
	uint64_t time_ns = 0;
	for (size_t i = 0; i < tasks->segment_count; i++)
		time_ns += length_ns(&tasks->segments[i]);
	return time_ns;
}

/* For each segment, the number of segments with an edge to it. */
static size_t *count_parents(const struct tasks *tasks)
{
	size_t *parents = memory_zeroed(tasks->segment_count, sizeof *parents);
	for (size_t i = 0; i < tasks->segment_count; i++)
		for (size_t k = 0; k < tasks->segments[i].child_count; k++)
			parents[tasks->segments[i].children[k]]++;
	return parents;
}

/* Visits each segment once all segments with an edge to it have been visited. */
uint64_t tasks_longest_ns(const struct tasks *tasks)
{
	uint64_t longest_ns = 0, *before_ns = memory_zeroed(tasks->segment_count, sizeof *before_ns);
	size_t *parents = count_parents(tasks), *ready = memory_zeroed(tasks->segment_count, sizeof *ready);
	size_t len = 0;
	for (size_t i = 0; i < tasks->segment_count; i++)
		if (parents[i] == 0)
			ready[len++] = i;
	while (len > 0) {
		size_t done = ready[--len];
		const struct segment *segment = &tasks->segments[done];
		uint64_t until_ns = before_ns[done] + length_ns(segment);
		longest_ns = until_ns > longest_ns ? until_ns : longest_ns;
		for (size_t k = 0; k < segment->child_count; k++) {
			size_t child = segment->children[k];
			before_ns[child] = until_ns > before_ns[child] ? until_ns : before_ns[child];
			if (--parents[child] == 0)
				ready[len++] = child;
		}
	}
	free(before_ns);
	free(parents);
	free(ready);
	return longest_ns;
}

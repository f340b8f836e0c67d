/* SPDX-License-Identifier: MIT
 * The regions of a timeline: the work and the time of each, and their sums by tag.
 *
 * The time of a region is the time of its tasks, on any thread: the task in which it was begun, while a thread works on
 * that; the tasks that are created in the region; the tasks that those create; and so on. If its thread works on no
 * task, the time of the region is that of the thread. A thread that waits for a task (a touch) works on no task
 * meanwhile.
 */
#ifndef REGIONS_H
#define REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording.h"
#include "tasks.h"

/* A region that is begun in another one, or by a task that was created there, lies in it as a whole: the time of a
 * region is its own time and that of its children. */
struct region {
	const char *tag;
	uint32_t thread;
	size_t begin;  /* the event */
	size_t end;    /* the event, perhaps the detach of its thread; TASKS_NONE: open at the end, or a gap came */
	size_t parent; /* the region around it, perhaps begun by the task that created this region's task; TASKS_NONE */
	uint64_t work; /* the sum of the arguments of its two events */
	uint64_t own_ns;  /* without the regions in it */
	uint64_t time_ns; /* with them */
	double speed;     /* work per second; 0 without work; infinite for work in no time */
	double relative;  /* speed as a share of the fastest finite speed of the tag, 0 to 1; infinite speeds have 1. 0
			   * if no region of the tag has a speed */
};

struct region_tag {
	const char *tag;
	size_t count;
	size_t outermost;      /* how many of its regions lie in no other region of this tag */
	uint64_t work;         /* of these alone */
	uint64_t inclusive_ns; /* likewise, so that no time is counted twice */
	uint64_t exclusive_ns; /* sum of own_ns */
	double speed;          /* work / inclusive_ns, as above */
};

/* Invariants: regions ascend by `begin`; tags by inclusive_ns, longest first, then by name. */
struct regions {
	struct region *regions;
	size_t len;
	struct region_tag *tags;
	size_t tag_count;
	size_t *of_segments; /* see regions_of_segment(); NULL: there are no regions */
	size_t fault_at;
	const char *fault; /* as in tasks.h: a task ends a region that another task has begun */
};

/* Returns false if the events contradict each other: then fault is set and all else is empty. Call regions_fini() in
 * any case. Requires that tasks_build() found no fault in this recording. Tags are borrowed from the recording. */
bool regions_build(struct regions *regions, const struct recording *recording, const struct tasks *tasks);
void regions_fini(struct regions *regions);

/* The innermost region in which the segment was for the longest stretch of time; TASKS_NONE: it was in none then. */
size_t regions_of_segment(const struct regions *regions, size_t segment);

#endif

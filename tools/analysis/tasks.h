/* SPDX-License-Identifier: MIT
 * The tasks of a timeline, the fork-join graph of what was worked on without a break, and the tree of who has created
 * whom: all of it from the events, after the run.
 *
 * A *segment* is what a thread does for a task from its start or resume, or from the end of a touch, to its suspension
 * or end, or to the beginning of a touch. The graph's edges go
 *   - from the segment that creates a task to that task's first one;
 *   - from the last segment of a task to the one of its toucher that follows the touch. Touches while the toucher is
 *     suspended belong to the segment it is resumed with: a join is a suspension, a touch of each child, and a resume.
 *     The toucher then is the task that has created the one touched, if it was suspended on that thread and still is,
 *     else the one of such that was suspended last;
 *   - from each segment to the next one of its task, unless the break between the two was a touch of a task which the
 *     former has created: then the way leads through that task.
 * So join(a, b) within a task gives four segments with the children [[2, 3], [], [1], [1]].
 */
#ifndef TASKS_H
#define TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording.h"

#define TASKS_NONE SIZE_MAX

struct segment {
	size_t task; /* its ordinal */
	uint32_t thread;
	size_t begin; /* the event it begins with */
	size_t end; /* the event that ends it, perhaps a gap or the detaching of its thread; TASKS_NONE: open at the end
		     */
	uint64_t from_ns;
	uint64_t until_ns;
	size_t child_count;
	size_t *children; /* ascending */
};

struct task {
	uint64_t number;   /* the program's */
	size_t created_by; /* the event; TASKS_NONE: not on record */
	size_t parent;     /* the task that has created it; TASKS_NONE: a root */
	size_t first_segment;
	size_t segment_count; /* may be 0 */
};

/* Invariants: tasks are in the order in which they were first heard of; segments in that of their tasks, and those of
 * one task in that of their time; so the segments of a task are neighbours. */
struct tasks {
	struct task *tasks;
	size_t len;
	struct segment *segments;
	size_t segment_count;
	size_t *children;  /* where those of the segments are */
	size_t *order;     /* the events as they have followed from each other; NULL: as they stand. Only events of one
			    * time may differ: which of two threads came first its index does not say */
	size_t fault_at;   /* the event that cannot be */
	const char *fault; /* a sentence without the full stop; NULL: none, and the rest is whole */
};

/* Requires that stmlog_timeline_check() finds nothing. False: fault is set and all else is empty. In any case call
 * tasks_fini(). What contradicts itself is a fault: a task created or started twice, created after its start, worked on
 * by two threads at once, resumed without having been suspended, touched to the end before it has ended. A task that
 * nobody has created, on record, is a root; of one that nobody has started either, all that may have been before the
 * timeline began. Behind a gap of any thread what is only absent is no fault. Takes O(n log n). */
bool tasks_build(struct tasks *tasks, const struct recording *recording);
void tasks_fini(struct tasks *tasks);

/* The event that comes `step`-th when they follow from each other. */
static inline size_t tasks_event(const struct tasks *tasks, size_t step)
{
	return tasks->order != NULL ? tasks->order[step] : step;
}

/* The time of all segments together, and of those on the path through the graph that takes longest: nobody can be
 * faster, with however many threads. */
uint64_t tasks_time_ns(const struct tasks *tasks);
uint64_t tasks_longest_ns(const struct tasks *tasks);

#endif

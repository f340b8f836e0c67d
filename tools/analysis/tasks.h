/* SPDX-License-Identifier: MIT
 * The tasks of a timeline, their fork-join graph, and the tree of their creations; made from the events, after the run.
 *
 * The nodes of the graph are segments. A *segment* is the work of a thread on a task without an interruption: it begins
 * with a start, a resume, or the end of a wait, and ends with a suspension, the end of the task, or the beginning of a
 * wait (a touch or a block). The handling of a blocked operation is a segment of the blocked task, and interrupts the
 * work that the handling thread was at. (A touch waits for the end of another task.) The edges go
 *   - from the segment that creates a task to the first segment of that task;
 *   - from the last segment of a task that is touched to the segment of the toucher that follows the touch;
 *   - from each segment to the next one of its task. There is no such edge where the two are separated by a touch of a
 *     task that the first segment has created: the path then leads through that task.
 * A join is a suspension, a touch of each child, and a resume: touches of a suspended task belong to the segment that
 * its resume begins. In that case the toucher is the creator of the touched task, if it was suspended on that thread
 * and still is; otherwise the task that the thread has interrupted for a touch; otherwise the task that was suspended
 * last on that thread and still is. So join(a, b) within a task makes four segments with the children [[2, 3], [], [1],
 * [1]].
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
	size_t begin; /* the event that begins it */
	size_t end;   /* the event that ends it, perhaps a gap or the detach of its thread; TASKS_NONE: it stays open */
	uint64_t from_ns;
	uint64_t until_ns;
	size_t child_count;
	size_t *children; /* ascending */
};

struct task {
	uint64_t number;   /* the program's */
	size_t created_by; /* the event; TASKS_NONE: not on record */
	size_t parent;     /* the task that has created it; TASKS_NONE: none, or not known */
	size_t first_segment;
	size_t segment_count; /* may be 0 */
};

/* An operation that a task could not run itself: a block, and its handling. */
struct operation {
	size_t task;
	size_t block;  /* the event block-begin */
	size_t end;    /* the event block-end; TASKS_NONE: the thread is blocked at the end, or a gap came */
	size_t handle; /* the event handle-begin; TASKS_NONE: nobody has handled it, or it is not on record */
	size_t handle_end;
};

/* Invariants: tasks are in the order of the first event of each; segments in the order of their tasks, and within a
 * task in the order of time, so that the segments of a task are neighbours. */
struct tasks {
	struct task *tasks;
	size_t len;
	struct segment *segments;
	size_t segment_count;
	size_t *children;             /* the memory of the segments' children */
	struct operation *operations; /* in the order of their blocks */
	size_t operation_count;
	size_t *order;     /* the events in an order that is possible; NULL: their own order is. It differs among events
			    * of equal times only: their indices do not say which thread came first */
	size_t fault_at;   /* the event that contradicts those before it */
	const char *fault; /* a sentence without a period; NULL: none, and all other members are valid */
};

/* Requires that event_timeline_check() finds no fault. Returns false if the events contradict each other: then fault
 * is set and all else is empty. Call tasks_fini() in any case.
 *
 * Faults are: a task is created or started twice, or created after its start; two threads work on it at once; it is
 * resumed without having been suspended; a touch of it ends before the task does; an operation is handled for which it
 * is not blocked, or with another outcome than the block has, or beyond the end of the block. A task without a creation
 * on record is a root. If it has no start on record either, both may have been before the timeline began. Behind a gap,
 * of any thread, the absence of an event is no fault. Takes O(n log n). */
bool tasks_build(struct tasks *tasks, const struct recording *recording);
void tasks_fini(struct tasks *tasks);

/* The index of the event that comes at `step` in the order above. */
static inline size_t tasks_event(const struct tasks *tasks, size_t step)
{
	return tasks->order != NULL ? tasks->order[step] : step;
}

/* Returns all segments, each behind those with an edge to it; owned by the caller. */
size_t *tasks_in_order(const struct tasks *tasks);

/* Returns when each segment would begin at the earliest, from 0 on: when all those with an edge to it have ended, were
 * there a thread for each. Owned by the caller. */
uint64_t *tasks_earliest_ns(const struct tasks *tasks);

/* The time of all segments; and that of the longest path through the graph, below which no number of threads can bring
 * it. */
uint64_t tasks_time_ns(const struct tasks *tasks);
uint64_t tasks_longest_ns(const struct tasks *tasks);

#endif

/* SPDX-License-Identifier: MIT
 * The program's own work, as its timeline tells it: the tasks with their fork-join graph, the tree of their creations
 * and what they waited for; and the regions with their work, time and speed. All of it is found in one pass over the
 * events, after the run.
 *
 * A *segment* is the work of a thread on a task without an interruption: it begins with a start, a resume, or the end
 * of a wait, and ends with a suspension, the end of the task, or the beginning of a wait (a touch or a block). The
 * handling of a blocked operation is a segment of the blocked task, and interrupts the work that the handling thread
 * was at. (A touch waits for the end of another task.) Segments are the nodes of the graph. Its edges go
 *   - from the segment that creates a task to the first segment of that task;
 *   - from the last segment of a task that is touched to the segment of the toucher that follows the touch;
 *   - from each segment to the next one of its task. There is no such edge where the two are separated by a touch of a
 *     task that the first segment has created: the path then leads through that task.
 * A join is a suspension, a touch of each child, and a resume: touches of a suspended task belong to the segment that
 * its resume begins. In that case the toucher is the creator of the touched task, if it was suspended on that thread
 * and still is; otherwise the task that the thread has interrupted for a touch; otherwise the task that was suspended
 * last on that thread and still is. So join(a, b) within a task makes four segments with the children [[2, 3], [], [1],
 * [1]].
 *
 * The time of a *region* is the time of its tasks, on any thread: the task in which it was begun, while a thread works
 * on that; the tasks that are created in the region; the tasks that those create; and so on. If its thread works on no
 * task, the time of the region is that of the thread. A thread that waits for a task works on no task meanwhile. */
#ifndef WORK_H
#define WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording.h"
#include "statistics.h"

#define WORK_NONE SIZE_MAX

struct segment {
	size_t task; /* its ordinal */
	uint32_t thread;
	size_t begin; /* the event that begins it */
	size_t end;   /* the event that ends it, perhaps a gap or the detach of its thread; WORK_NONE: it stays open */
	uint64_t from_ns;
	uint64_t until_ns;
	size_t region; /* the innermost one for the longest stretch of its time; WORK_NONE: it was in none then */
	size_t child_count;
	size_t *children; /* ascending */
};

struct task {
	uint64_t number;   /* the program's */
	size_t created_by; /* the event; WORK_NONE: not on record */
	size_t parent;     /* the task that has created it; WORK_NONE: none, or not known */
	size_t first_segment;
	size_t segment_count; /* may be 0 */
};

/* A task is blocked until an operation was handled that it could not run itself; a thread waits for the end of a task;
 * or a task is suspended. */
enum task_wait_kind { TASK_BLOCKED, TASK_TOUCHED, TASK_SUSPENDED, TASK_WAITS };

extern const char *const task_wait_names[TASK_WAITS];

struct task_wait {
	enum task_wait_kind kind;
	size_t task;   /* that is blocked, touched or suspended */
	size_t begin;  /* the event */
	size_t end;    /* the event; WORK_NONE: not on record. Of a touch perhaps a gap or the detach of its thread */
	size_t handle; /* the event with which a thread begins to handle the operation; WORK_NONE: there is none */
	size_t handle_end;
};

/* A region that is begun in another one, or by a task that was created there, lies in it as a whole: the time of a
 * region is its own time and that of its children. */
struct region {
	const char *tag;
	size_t tag_number; /* in `tags` */
	uint32_t thread;
	size_t begin;  /* the event */
	size_t end;    /* the event, perhaps the detach of its thread; WORK_NONE: open at the end, or a gap came */
	size_t parent; /* the region around it, perhaps begun by the task that created this region's task; WORK_NONE */
	uint64_t work; /* the sum of the arguments of its two events */
	uint64_t own_ns;  /* without the regions in it */
	uint64_t time_ns; /* with them */
	double speed;     /* work per second; 0 without work; infinite for work in no time */
	double relative;  /* speed as a share of the fastest finite speed of the tag, 0 to 1; infinite speeds have 1. 0
			   * if no region of the tag has a speed */
};

struct region_tag {
	const char *tag;
	size_t first; /* of its regions */
	size_t count;
	size_t outermost;      /* how many of its regions lie in no other region of this tag */
	uint64_t work;         /* of these alone */
	uint64_t inclusive_ns; /* likewise, so that no time is counted twice */
	uint64_t exclusive_ns; /* sum of own_ns */
	double speed;          /* work / inclusive_ns, as above */
	/* How much its regions differ: of those that have ended, and of those of them that have done work. */
	size_t ended, worked;
	struct statistics_spread each_ns;    /* if ended > 0; with the regions in them */
	struct statistics_spread each_speed; /* if worked > 0 */
};

/* Invariants: tasks are in the order of the first event of each that was taken; segments in the order of their tasks,
 * and within a task in the order of time, so that the segments of a task are neighbours; waits in the order of their
 * beginnings; regions, too, and each comes after its parent; tags by inclusive_ns, longest first, then by name. */
struct work {
	struct task *tasks;
	size_t task_count;
	struct segment *segments;
	size_t segment_count;
	size_t *children; /* the memory of the segments' children */
	struct task_wait *waits;
	size_t wait_count;
	struct region *regions;
	size_t region_count;
	struct region_tag *tags;
	size_t tag_count;
	size_t fault_at;   /* the event that contradicts those before it */
	const char *fault; /* a sentence without a period; NULL: none */
};

/* Returns false if the events contradict each other: then fault is set and all else is empty. Call work_fini() in any
 * case. Words are borrowed from the recording.
 *
 * Faults are those of event_timeline_check(), and: a task is created or started twice, or created after its start; two
 * threads work on it at once; it is resumed without having been suspended; a touch of it ends before the task does; an
 * operation is handled for which it is not blocked, or with another outcome than the block has, or beyond the end of
 * the block; a task ends a region that another task has begun. A task without a creation on record is a root. If it
 * has no start on record either, both may have been before the timeline began. Behind a gap, of any thread, the
 * absence of an event is no fault. Events of equal times, as a coarse clock gives them, are taken in an order in which
 * none contradicts those before it, if there is one. Takes O(n log n). */
bool work_build(struct work *work, const struct recording *recording);
void work_fini(struct work *work);

/* "event 4, 'start' of thread 1: an attempt is under way already". Requires a fault. */
struct work_text {
	char text[256];
};
struct work_text work_fault(const struct work *work, const struct recording *recording);

/* Whether the timeline has any task or region. */
bool work_is_told(const struct recording *recording);

/* ---- sums ---- */

/* Returns when each segment would begin at the earliest, from 0 on: when all those with an edge to it have ended, were
 * there a thread for each. Owned by the caller. */
uint64_t *work_earliest_ns(const struct work *work);

/* The time of all segments; and that of the longest path through the graph, below which no number of threads can bring
 * it. */
uint64_t work_time_ns(const struct work *work);
uint64_t work_longest_ns(const struct work *work);

/* The sum of the waits of one kind and word. A touch within a touch counts in both. */
struct task_wait_sum {
	enum task_wait_kind kind;
	const char *word; /* of the event with which the wait begins; "" without one. Borrowed from the recording */
	size_t count;
	size_t abandoned;    /* blocks and touches that ended without a result */
	uint64_t time_ns;    /* up to their ends; without an end on record 0 */
	uint64_t handled_ns; /* of blocks: the time in which threads handled the operations */
};

/* Returns the sums, descending by time_ns, equal ones by kind, then by word; owned by the caller. */
struct task_wait_sum *work_wait_sums(const struct work *work, const struct recording *recording, size_t *len);

#endif

/* SPDX-License-Identifier: MIT
 * The state of the pass over the events that work.h describes: what each task and each thread is at. */
#ifndef WORK_STEPS_H
#define WORK_STEPS_H

#include <stmlog/timeline.h>

#include "dictionary.h"
#include "work.h"

enum task_state {
	TASK_STATE_NEW,       /* no thread has worked on it */
	TASK_STATE_WORKED_ON, /* by the thread of its last segment, which perhaps waits for another task */
	TASK_STATE_SUSPENDED,
	TASK_STATE_LOST, /* events of its thread are missing: its state is not known */
	TASK_STATE_ENDED
};

/* A task, or a thread while it works on no task. Its time belongs to the innermost region that it is in. A task begins
 * in the region that its creator was in, and never leaves that region. */
struct steps_worker {
	size_t region; /* the innermost one; WORK_NONE */
	bool is_at_work;
	uint64_t since_ns;   /* its time up to here is counted */
	size_t segment;      /* that it is in, or was in last; WORK_NONE */
	uint64_t stretch_ns; /* the longest time in one region, without a break, of this segment */
};

struct steps_task {
	struct task task;
	size_t ordinal; /* in the order of the first events that were taken; WORK_NONE: none was */
	struct steps_worker worker;
	enum task_state state;
	size_t create_at;   /* the first event that creates it, perhaps still to come; WORK_NONE: none does */
	bool has_beginning; /* its creation or start is on record, perhaps still to come */
	size_t creator;     /* the segment that has created it; WORK_NONE */
	size_t block;       /* its last block up to now, a wait; WORK_NONE */
	size_t suspension;  /* its present one, a wait; WORK_NONE */
};

/* A segment, without children. Segments are numbered in the order of their beginnings. */
struct steps_segment {
	struct segment segment;
	size_t below;    /* of a suspended one: the segment that was suspended before it on its thread */
	bool is_bridged; /* it is followed by a touch of a task that it has created */
};

/* An edge from the last segment of a touched task to the segment that follows `after` in its task, if any does. */
struct steps_touch {
	size_t from;
	size_t after;
};

/* A span about a task that is open on a thread (the rows TASKS and TOUCHES of events.def). */
struct steps_span {
	enum stmlog_span span;
	enum stmlog_row row;
	size_t task;
	size_t wait; /* a touch, a block, or the block that is handled; WORK_NONE */
};

struct steps_thread {
	struct steps_worker own;  /* while it works on no task */
	struct steps_span *spans; /* innermost last */
	size_t span_count, span_cap;
	size_t segment;   /* that is open on the thread; WORK_NONE */
	size_t suspended; /* the segment that was suspended last here; its task may have been resumed since */
	size_t region;    /* the innermost region that is open on the thread; WORK_NONE */
	size_t held_in;   /* the round of a tie (work.c) that takes no more events of this thread */
};

/* Where a region was begun. */
struct steps_region {
	size_t task;  /* WORK_NONE: in no task */
	size_t below; /* the region that was begun on its thread before */
	bool has_ended;
};

/* Invariant: tasks and threads are by the ranks of their numbers, and so are all numbers of tasks up to
 * steps_build_graph(). `work` gets the waits and regions. */
struct steps {
	const struct recording *recording;
	struct work *work;
	struct ranks numbers, thread_ids;
	struct steps_task *tasks;
	size_t taken; /* tasks of which an event was taken */
	struct steps_thread *threads;
	struct steps_segment *segments;
	size_t segment_count, segment_cap;
	struct steps_touch *touches;
	size_t touch_count, touch_cap;
	struct steps_region *regions;
	size_t region_cap, wait_cap, begun_cap;
	uint64_t now_ns;
	bool has_gap; /* events of any thread are missing, up to now */
};

/* The innermost span of the row; NULL: there is none. */
static inline struct steps_span *steps_innermost(const struct steps_thread *thread, enum stmlog_row row)
{
	for (size_t i = thread->span_count; i-- > 0;)
		if (thread->spans[i].row == row)
			return &thread->spans[i];
	return NULL;
}

/* The task that the thread works on; WORK_NONE: on none. In a touch or a block it waits. */
static inline size_t steps_task_at_work(const struct steps_thread *thread)
{
	const struct steps_span *top = thread->span_count > 0 ? &thread->spans[thread->span_count - 1] : NULL;
	return top != NULL && top->row == STMLOG_ROW_TASKS ? top->task : WORK_NONE;
}

/* ---- work_steps.c ---- */

void steps_init(struct steps *steps, struct work *work, const struct recording *recording);
void steps_fini(struct steps *steps);

struct steps_thread *steps_thread(const struct steps *steps, size_t index);

/* Takes the next event. If it contradicts those before it, changes nothing and returns why; otherwise returns NULL. */
const char *steps_add(struct steps *steps, size_t index);

/* ---- work_regions.c: regions, and the time of workers ---- */

const char *steps_begin_region(struct steps *steps, struct steps_thread *thread, size_t index);
const char *steps_end_region(struct steps *steps, struct steps_thread *thread, size_t index);

/* Ends all regions of the thread with the event `end`, or with none (WORK_NONE). */
void steps_end_regions(struct steps *steps, struct steps_thread *thread, size_t end);

/* Called before and after the spans of the thread change. */
void steps_stop_worker(struct steps *steps, struct steps_thread *thread);
void steps_start_worker(struct steps *steps, struct steps_thread *thread);

/* The task that is created on the thread begins in the present region of its creator. */
void steps_inherit_region(struct steps *steps, struct steps_thread *thread, struct steps_task *created);

/* The worker begins a segment. */
void steps_place_segment(struct steps *steps, struct steps_worker *worker, size_t segment);

/* Adds up the times of regions, and makes the tags. Called once all events are taken. */
void work_sum_regions(struct work *work);

#endif

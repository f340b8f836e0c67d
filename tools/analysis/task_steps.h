/* SPDX-License-Identifier: MIT
 * Takes the events of tasks one by one: checks each against those before it, and makes the segments of tasks.h in the
 * order of their beginnings. tasks.c makes the graph of them. */
#ifndef TASK_STEPS_H
#define TASK_STEPS_H

#include "task_spans.h"
#include "ranks.h"
#include "recording.h"
#include "tasks.h"

enum task_state {
	TASK_NEW,       /* no thread has worked on it */
	TASK_WORKED_ON, /* by the thread of its last segment, which perhaps waits for another task */
	TASK_SUSPENDED,
	TASK_LOST, /* events of its thread are missing: its state is not known */
	TASK_ENDED
};

struct task_steps_task {
	struct task task;
	enum task_state state;
	size_t create_at;   /* the first event that creates it, perhaps still to come; TASKS_NONE: none does */
	bool has_beginning; /* its creation or start is on record, perhaps still to come */
	size_t creator;     /* the segment that has created it; TASKS_NONE */
	size_t last;        /* its last segment up to now; TASKS_NONE */
	size_t operation;   /* its last one up to now; TASKS_NONE */
};

/* A segment, without children. Segments are numbered in the order of their beginnings. */
struct task_steps_segment {
	struct segment segment;
	size_t below;    /* of a suspended one: the segment that was suspended before it on its thread */
	bool is_bridged; /* it is followed by a touch of a task that it has created */
};

/* An edge from the last segment of a touched task to the segment that follows `after` in its task, if any does. */
struct task_steps_touch {
	size_t from;
	size_t after;
};

struct task_steps_thread {
	struct task_spans spans;
	size_t segment;   /* that is open on the thread; TASKS_NONE */
	size_t suspended; /* the segment that was suspended last here; its task may have been resumed since */
	size_t held_in;   /* the round of a tie (tasks.c) that takes no more events of this thread */
};

/* Invariant: tasks are by ordinal, threads by rank. */
struct task_steps {
	const struct recording *recording;
	struct ranks numbers, thread_ids;
	size_t *ordinals; /* of tasks, by the ranks of their numbers */
	struct task_steps_task *tasks;
	size_t task_count;
	struct task_steps_thread *threads;
	struct task_steps_segment *segments;
	size_t segment_count, segment_cap;
	struct task_steps_touch *touches;
	size_t touch_count, touch_cap;
	struct operation *operations;
	size_t operation_count, operation_cap;
	bool has_gap; /* events of any thread are missing, up to now */
};

void task_steps_init(struct task_steps *steps, const struct recording *recording);
void task_steps_fini(struct task_steps *steps);

struct task_steps_thread *task_steps_thread(const struct task_steps *steps, size_t index);

/* Takes the next event. If it contradicts those before it, changes nothing and returns why; otherwise returns NULL. */
const char *task_steps_add(struct task_steps *steps, size_t index);

/* Ends the segments that are still open. Called after the last event. */
void task_steps_finish(struct task_steps *steps);

#endif

/* SPDX-License-Identifier: MIT
 * The events of tasks one by one: whether each can be, and the segments that they make, in the order in which these
 * begin. What the segments are to each other is put together in tasks.c. */
#ifndef TASK_STEPS_H
#define TASK_STEPS_H

#include "ranks.h"
#include "recording.h"
#include "tasks.h"

enum task_state {
	TASK_NEW,       /* nobody has worked on it */
	TASK_WORKED_ON, /* by the thread of its last segment, which perhaps waits for another task */
	TASK_SUSPENDED,
	TASK_LOST, /* a gap of the thread that has worked on it: anything may have come of it */
	TASK_ENDED
};

struct task_steps_task {
	struct task task;
	enum task_state state;
	size_t create_at;   /* the first event that creates it, perhaps still to come; TASKS_NONE: none does */
	bool has_beginning; /* it is created or started somewhere on record */
	size_t creator;     /* the segment that has created it; TASKS_NONE */
	size_t last;        /* its last segment up to now; TASKS_NONE */
};

/* A segment, without children; its number is that of its beginning among all. */
struct task_steps_segment {
	struct segment segment;
	size_t below;    /* the one whose suspension came before on the thread that has suspended this one */
	bool is_bridged; /* behind it its task has waited for one that it has created */
};

/* From the last segment of a task that was touched to the one that follows segment `after` in its task, if any does. */
struct task_steps_touch {
	size_t from;
	size_t after;
};

struct task_steps_thread {
	size_t task;      /* that it works on; TASKS_NONE */
	bool is_at_work;  /* on it: the last segment of the task is open, and this thread's */
	bool is_in_touch; /* of which the beginning is on record */
	size_t suspended; /* the segment that was suspended last here; perhaps its task goes on elsewhere */
	size_t held_in;   /* the round of a tie that has nothing more of this thread */
};

/* Invariants: tasks by ordinal; threads by rank; touches and segments have room for all that the events can make. */
struct task_steps {
	const struct recording *recording;
	struct ranks numbers, thread_ids;
	size_t *ordinals; /* of tasks, by the rank of their numbers */
	struct task_steps_task *tasks;
	size_t task_count;
	struct task_steps_thread *threads;
	struct task_steps_segment *segments;
	size_t segment_count;
	struct task_steps_touch *touches;
	size_t touch_count;
	bool has_gap; /* of any thread, up to now */
};

void task_steps_init(struct task_steps *steps, const struct recording *recording);
void task_steps_fini(struct task_steps *steps);

struct task_steps_thread *task_steps_thread(const struct task_steps *steps, size_t index);

/* Takes the next event. Returns what is wrong with it, and then has changed nothing; or NULL. */
const char *task_steps_take(struct task_steps *steps, size_t index);

/* Behind the last event. */
void task_steps_finish(struct task_steps *steps);

#endif

/* SPDX-License-Identifier: MIT
 * Checks that the events of different threads about one task fit together. The spans of each thread do already
 * (event_timeline_check()). */
#include "task_steps.h"

#include <stdlib.h>

#include <stmlog/timeline.h>

#include "event.h"
#include "memory.h"

/* ---- the tasks and threads, and room for segments ---- */

static size_t count_kind(const struct recording *recording, unsigned kind)
{
	size_t count = 0;
	for (size_t i = 0; i < recording->event_count; i++)
		count += recording->events[i].kind == kind;
	return count;
}

static void collect_numbers(struct task_steps *steps)
{
	const struct recording *recording = steps->recording;
	for (size_t i = 0; i < recording->event_count; i++) {
		ranks_add(&steps->thread_ids, recording->events[i].thread);
		if (event_has_task(&recording->events[i]))
			ranks_add(&steps->numbers, recording->events[i].argument);
	}
	ranks_sort(&steps->numbers);
	ranks_sort(&steps->thread_ids);
}

static struct task_steps_task *task_of(const struct task_steps *steps, uint64_t number)
{
	return &steps->tasks[steps->ordinals[ranks_find(&steps->numbers, number)]];
}

/* Tasks get their ordinals in the order of their first events. */
static void note_task(struct task_steps *steps, size_t index)
{
	const struct stmlog_event_record *event = &steps->recording->events[index];
	size_t *ordinal = &steps->ordinals[ranks_find(&steps->numbers, event->argument)];
	if (*ordinal == TASKS_NONE) {
		*ordinal = steps->task_count++;
		steps->tasks[*ordinal] = (struct task_steps_task){
			.task = {.number = event->argument, .created_by = TASKS_NONE, .parent = TASKS_NONE},
			.create_at = TASKS_NONE,
			.creator = TASKS_NONE,
			.last = TASKS_NONE,
		};
	}
	struct task_steps_task *task = &steps->tasks[*ordinal];
	if (event->kind == STMLOG_EVENT_TASK_CREATE && task->create_at == TASKS_NONE)
		task->create_at = index;
	task->has_beginning |= event->kind == STMLOG_EVENT_TASK_CREATE || event->kind == STMLOG_EVENT_TASK_START;
}

static void collect_tasks(struct task_steps *steps)
{
	steps->ordinals = memory_zeroed(steps->numbers.len, sizeof *steps->ordinals);
	steps->tasks = memory_zeroed(steps->numbers.len, sizeof *steps->tasks);
	for (size_t i = 0; i < steps->numbers.len; i++)
		steps->ordinals[i] = TASKS_NONE;
	for (size_t i = 0; i < steps->recording->event_count; i++)
		if (event_has_task(&steps->recording->events[i]))
			note_task(steps, i);
}

static const struct task_steps_thread idle = {.task = TASKS_NONE, .suspended = TASKS_NONE};

void task_steps_init(struct task_steps *steps, const struct recording *recording)
{
	size_t touches = count_kind(recording, STMLOG_EVENT_TOUCH_RESUME);
	size_t segments = touches + count_kind(recording, STMLOG_EVENT_TASK_START) +
			  count_kind(recording, STMLOG_EVENT_TASK_RESUME);
	*steps = (struct task_steps){.recording = recording};
	collect_numbers(steps);
	collect_tasks(steps);
	steps->threads = memory_zeroed(steps->thread_ids.len, sizeof *steps->threads);
	for (size_t i = 0; i < steps->thread_ids.len; i++)
		steps->threads[i] = idle;
	steps->segments = memory_zeroed(segments, sizeof *steps->segments);
	steps->touches = memory_zeroed(touches, sizeof *steps->touches);
}

void task_steps_fini(struct task_steps *steps)
{
	ranks_fini(&steps->numbers);
	ranks_fini(&steps->thread_ids);
	free(steps->ordinals);
	free(steps->tasks);
	free(steps->threads);
	free(steps->segments);
	free(steps->touches);
}

struct task_steps_thread *task_steps_thread(const struct task_steps *steps, size_t index)
{
	return &steps->threads[ranks_find(&steps->thread_ids, steps->recording->events[index].thread)];
}

/* ---- segments ---- */

static void begin_segment(struct task_steps *steps, struct task_steps_thread *thread, size_t index)
{
	const struct stmlog_event_record *event = &steps->recording->events[index];
	size_t number = steps->segment_count++;
	steps->segments[number] = (struct task_steps_segment){
		.segment = {.task = thread->task,
			.thread = event->thread,
			.begin = index,
			.end = TASKS_NONE,
			.from_ns = event->time_ns,
			.until_ns = event->time_ns},
		.below = TASKS_NONE,
	};
	steps->tasks[thread->task].last = number;
	steps->tasks[thread->task].task.segment_count++;
	thread->is_at_work = true;
}

/* Ends the open segment of the thread, if there is one. */
static void end_segment(struct task_steps *steps, struct task_steps_thread *thread, size_t index)
{
	if (!thread->is_at_work)
		return;
	thread->is_at_work = false;
	struct segment *segment = &steps->segments[steps->tasks[thread->task].last].segment;
	segment->end = index;
	segment->until_ns = steps->recording->events[index].time_ns;
}

/* The thread leaves its task, which gets the state. */
static void leave_task(struct task_steps *steps, struct task_steps_thread *thread, size_t index, enum task_state state)
{
	end_segment(steps, thread, index);
	if (thread->task != TASKS_NONE)
		steps->tasks[thread->task].state = state;
	size_t held_in = thread->held_in;
	*thread = idle;
	thread->held_in = held_in;
}

/* ---- events: each returns a fault, or NULL ---- */

static const char *create(struct task_steps *steps, struct task_steps_thread *thread, size_t index)
{
	struct task_steps_task *task = task_of(steps, steps->recording->events[index].argument);
	if (task->task.created_by != TASKS_NONE)
		return "the task was created already";
	if (task->state != TASK_NEW)
		return "the task was worked on before it was created";
	task->task.created_by = index;
	if (thread->task != TASKS_NONE) {
		task->task.parent = thread->task;
		task->creator = steps->tasks[thread->task].last;
	}
	return NULL;
}

/* Whether a later event creates the task at the same time: it may really have come before. */
static bool is_created_meanwhile(const struct task_steps *steps, const struct task_steps_task *task, size_t index)
{
	const struct stmlog_event_record *events = steps->recording->events;
	return task->task.created_by == TASKS_NONE && task->create_at != TASKS_NONE &&
	       events[task->create_at].time_ns == events[index].time_ns;
}

/* Whether a thread may have worked on a new task without a record: before the timeline began, or in a gap. */
static bool may_have_a_past(const struct task_steps *steps, const struct task_steps_task *task)
{
	return task->state == TASK_NEW && (steps->has_gap || !task->has_beginning);
}

static const char *fault_of_start(const struct task_steps *steps, const struct task_steps_task *task, size_t index)
{
	switch (task->state) {
	case TASK_NEW:
		return is_created_meanwhile(steps, task, index) ? "the task is created only after that" : NULL;
	case TASK_WORKED_ON:
		return "a thread works on the task already";
	case TASK_SUSPENDED:
	case TASK_LOST:
		return "the task was started already";
	case TASK_ENDED:
		break;
	}
	return "the task has ended";
}

static const char *fault_of_resume(const struct task_steps *steps, const struct task_steps_task *task, size_t index)
{
	switch (task->state) {
	case TASK_NEW:
		if (!may_have_a_past(steps, task))
			return "the task was not suspended";
		return is_created_meanwhile(steps, task, index) ? "the task is created only after that" : NULL;
	case TASK_WORKED_ON:
		return "a thread works on the task already";
	case TASK_SUSPENDED:
	case TASK_LOST:
		return NULL;
	case TASK_ENDED:
		break;
	}
	return "the task has ended";
}

static const char *begin(struct task_steps *steps, struct task_steps_thread *thread, size_t index)
{
	const struct stmlog_event_record *event = &steps->recording->events[index];
	struct task_steps_task *task = task_of(steps, event->argument);
	bool is_start = event->kind == STMLOG_EVENT_TASK_START;
	const char *fault = is_start ? fault_of_start(steps, task, index) : fault_of_resume(steps, task, index);
	if (fault != NULL)
		return fault;
	task->state = TASK_WORKED_ON;
	thread->task = (size_t)(task - steps->tasks);
	begin_segment(steps, thread, index);
	return NULL;
}

/* Ends work on a task whose beginning on this thread is missing. */
static const char *end_unseen(struct task_steps_task *task, enum task_state state)
{
	if (task->state == TASK_WORKED_ON)
		return "another thread works on the task";
	if (task->state == TASK_ENDED)
		return "the task has ended";
	task->state = state;
	return NULL;
}

static const char *end(struct task_steps *steps, struct task_steps_thread *thread, size_t index)
{
	const struct stmlog_event_record *event = &steps->recording->events[index];
	struct task_steps_task *task = task_of(steps, event->argument);
	enum task_state state = event->kind == STMLOG_EVENT_TASK_END ? TASK_ENDED : TASK_SUSPENDED;
	if (thread->task == TASKS_NONE)
		return end_unseen(task, state);
	end_segment(steps, thread, index);
	task->state = state;
	thread->task = TASKS_NONE;
	if (state == TASK_SUSPENDED) {
		steps->segments[task->last].below = thread->suspended;
		thread->suspended = task->last;
	}
	return NULL;
}

static const char *begin_touch(struct task_steps *steps, struct task_steps_thread *thread, size_t index)
{
	end_segment(steps, thread, index);
	thread->is_in_touch = true;
	return NULL;
}

/* The last segment that was suspended on the thread and whose task still is. */
static size_t suspended_last(const struct task_steps *steps, struct task_steps_thread *thread)
{
	while (thread->suspended != TASKS_NONE) {
		const struct task_steps_segment *segment = &steps->segments[thread->suspended];
		const struct task_steps_task *task = &steps->tasks[segment->segment.task];
		if (task->state == TASK_SUSPENDED && task->last == thread->suspended)
			break;
		thread->suspended = segment->below;
	}
	return thread->suspended;
}

static bool is_suspended_on(const struct task_steps *steps, const struct task_steps_task *task, uint32_t thread)
{
	return task->state == TASK_SUSPENDED && task->last != TASKS_NONE &&
	       steps->segments[task->last].segment.thread == thread;
}

/* The segment that the touch follows; TASKS_NONE: the toucher is no task. */
static size_t touched_after(const struct task_steps *steps, struct task_steps_thread *thread,
	const struct task_steps_task *touched, uint32_t id)
{
	if (thread->task != TASKS_NONE)
		return steps->tasks[thread->task].last;
	size_t parent = touched->task.parent;
	bool is_parents = parent != TASKS_NONE && is_suspended_on(steps, &steps->tasks[parent], id);
	return is_parents ? steps->tasks[parent].last : suspended_last(steps, thread);
}

static void connect(struct task_steps *steps, const struct task_steps_task *touched, size_t after)
{
	if (after == TASKS_NONE || touched->last == TASKS_NONE)
		return;
	steps->touches[steps->touch_count++] = (struct task_steps_touch){touched->last, after};
	steps->segments[after].is_bridged |= touched->creator == after;
}

static const char *resume_after_touch(struct task_steps *steps, struct task_steps_thread *thread, size_t index)
{
	const struct stmlog_event_record *event = &steps->recording->events[index];
	struct task_steps_task *touched = task_of(steps, event->argument);
	if (touched->state == TASK_WORKED_ON ||
		(touched->state != TASK_ENDED && !steps->has_gap && !may_have_a_past(steps, touched)))
		return "the task touched has not ended";
	touched->state = TASK_ENDED;
	if (!thread->is_in_touch) /* its beginning is missing, and with it the toucher */
		return NULL;
	end_segment(steps, thread, index); /* the task was resumed before the touch was over */
	connect(steps, touched, touched_after(steps, thread, touched, event->thread));
	thread->is_in_touch = false;
	if (thread->task != TASKS_NONE)
		begin_segment(steps, thread, index);
	return NULL;
}

const char *task_steps_add(struct task_steps *steps, size_t index)
{
	struct task_steps_thread *thread = task_steps_thread(steps, index);
	unsigned kind = steps->recording->events[index].kind;
	bool is_opening = stmlog_event_rule_of(kind)->role == STMLOG_ROLE_OPENS;
	switch (stmlog_event_rule_of(kind)->span) {
	case STMLOG_SPAN_TASK:
		return is_opening ? begin(steps, thread, index) : end(steps, thread, index);
	case STMLOG_SPAN_TOUCH:
		return is_opening ? begin_touch(steps, thread, index) : resume_after_touch(steps, thread, index);
	case STMLOG_SPAN_THREAD:
		leave_task(steps, thread, index, TASK_SUSPENDED);
		return NULL;
	case STMLOG_SPAN_GAP:
		leave_task(steps, thread, index, TASK_LOST);
		steps->has_gap = true;
		return NULL;
	default:
		return kind == STMLOG_EVENT_TASK_CREATE ? create(steps, thread, index) : NULL;
	}
}

void task_steps_finish(struct task_steps *steps)
{
	size_t len = steps->recording->event_count;
	for (size_t i = 0; i < steps->segment_count; i++) {
		struct segment *segment = &steps->segments[i].segment;
		if (segment->end == TASKS_NONE)
			segment->until_ns = steps->recording->events[len - 1].time_ns;
	}
}

/* SPDX-License-Identifier: MIT
 * Checks that the events of different threads about one task fit together. The spans of each thread do already
 * (event_timeline_check()). */
#include "task_steps.h"

#include <stdlib.h>

#include <stmlog/timeline.h>

#include "check.h"
#include "event.h"
#include "memory.h"

/* ---- the tasks and threads ---- */

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
			.operation = TASKS_NONE,
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

void task_steps_init(struct task_steps *steps, const struct recording *recording)
{
	*steps = (struct task_steps){.recording = recording};
	collect_numbers(steps);
	collect_tasks(steps);
	steps->threads = memory_zeroed(steps->thread_ids.len, sizeof *steps->threads);
	for (size_t i = 0; i < steps->thread_ids.len; i++)
		steps->threads[i].segment = steps->threads[i].suspended = TASKS_NONE;
}

void task_steps_fini(struct task_steps *steps)
{
	for (size_t i = 0; i < steps->thread_ids.len; i++)
		task_spans_fini(&steps->threads[i].spans);
	ranks_fini(&steps->numbers);
	ranks_fini(&steps->thread_ids);
	free(steps->ordinals);
	free(steps->tasks);
	free(steps->threads);
	free(steps->segments);
	free(steps->touches);
	free(steps->operations);
}

struct task_steps_thread *task_steps_thread(const struct task_steps *steps, size_t index)
{
	return &steps->threads[ranks_find(&steps->thread_ids, steps->recording->events[index].thread)];
}

/* ---- segments ---- */

static const struct stmlog_event_rule *rule_at(const struct task_steps *steps, size_t index)
{
	return stmlog_event_rule_of(steps->recording->events[index].kind);
}

/* Begins a segment of the task that the thread works on, if it works on one. Requires that none is open. */
static void begin_segment(struct task_steps *steps, struct task_steps_thread *thread, size_t index)
{
	const struct stmlog_event_record *event = &steps->recording->events[index];
	size_t task = task_spans_task(&thread->spans), number = steps->segment_count;
	REQUIRES(thread->segment == TASKS_NONE);
	if (task == TASKS_NONE)
		return;
	steps->segments = memory_grown(steps->segments, number, &steps->segment_cap, sizeof *steps->segments);
	steps->segments[steps->segment_count++] = (struct task_steps_segment){
		.segment = {.task = task,
			.thread = event->thread,
			.begin = index,
			.end = TASKS_NONE,
			.from_ns = event->time_ns,
			.until_ns = event->time_ns},
		.below = TASKS_NONE,
	};
	steps->tasks[task].last = thread->segment = number;
	steps->tasks[task].task.segment_count++;
}

/* Ends the open segment of the thread, if there is one. */
static void end_segment(struct task_steps *steps, struct task_steps_thread *thread, size_t index)
{
	if (thread->segment == TASKS_NONE)
		return;
	struct segment *segment = &steps->segments[thread->segment].segment;
	segment->end = index;
	segment->until_ns = steps->recording->events[index].time_ns;
	thread->segment = TASKS_NONE;
}

/* Opens the event's span, and works on what that is about. */
static void enter(struct task_steps *steps, struct task_steps_thread *thread, size_t index, size_t operation)
{
	const struct task_steps_task *task = task_of(steps, steps->recording->events[index].argument);
	end_segment(steps, thread, index);
	task_spans_open(&thread->spans, rule_at(steps, index), (size_t)(task - steps->tasks), operation);
	begin_segment(steps, thread, index);
}

/* Closes the event's span, after which the thread works on nothing. */
static void leave(struct task_steps *steps, struct task_steps_thread *thread, size_t index)
{
	end_segment(steps, thread, index);
	task_spans_close(&thread->spans, rule_at(steps, index)->row);
}

/* The thread leaves all its tasks, which get the state. */
static void leave_all(struct task_steps *steps, struct task_steps_thread *thread, size_t index, enum task_state state)
{
	end_segment(steps, thread, index);
	for (size_t i = 0; i < thread->spans.len; i++)
		if (thread->spans.spans[i].span == STMLOG_SPAN_TASK)
			steps->tasks[thread->spans.spans[i].task].state = state;
	thread->spans.len = 0;
	thread->suspended = TASKS_NONE;
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
	const struct task_span *own = task_spans_innermost(&thread->spans, STMLOG_ROW_TASKS);
	if (own != NULL) {
		task->task.parent = own->task;
		task->creator = steps->tasks[own->task].last;
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
	enter(steps, thread, index, TASKS_NONE);
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
	if (task_spans_innermost(&thread->spans, STMLOG_ROW_TASKS) == NULL)
		return end_unseen(task, state);
	leave(steps, thread, index);
	task->state = state;
	if (state == TASK_SUSPENDED) {
		steps->segments[task->last].below = thread->suspended;
		thread->suspended = task->last;
	}
	begin_segment(steps, thread, index);
	return NULL;
}

/* ---- touches ---- */

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

/* The segment that the touch follows; TASKS_NONE: the toucher is no task. A thread that works on no task may join for
 * one that it has suspended, within a touch of another one. */
static size_t touched_after(const struct task_steps *steps, struct task_steps_thread *thread,
	const struct task_steps_task *touched, uint32_t id)
{
	size_t at_work = task_spans_task(&thread->spans), parent = touched->task.parent;
	if (at_work != TASKS_NONE)
		return steps->tasks[at_work].last;
	if (parent != TASKS_NONE && is_suspended_on(steps, &steps->tasks[parent], id))
		return steps->tasks[parent].last;
	const struct task_span *interrupted = task_spans_innermost(&thread->spans, STMLOG_ROW_TASKS);
	return interrupted != NULL ? steps->tasks[interrupted->task].last : suspended_last(steps, thread);
}

static void connect(struct task_steps *steps, const struct task_steps_task *touched, size_t after)
{
	if (after == TASKS_NONE || touched->last == TASKS_NONE)
		return;
	steps->touches = memory_grown(steps->touches, steps->touch_count, &steps->touch_cap, sizeof *steps->touches);
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
	if (task_spans_innermost(&thread->spans, STMLOG_ROW_TOUCHES) == NULL)
		return NULL;         /* its beginning is missing, and with it the toucher */
	leave(steps, thread, index); /* the toucher may be at work already, resumed before the touch was over */
	connect(steps, touched, touched_after(steps, thread, touched, event->thread));
	begin_segment(steps, thread, index);
	return NULL;
}

/* ---- blocked operations ---- */

static struct operation *operation_of(const struct task_steps *steps, size_t number)
{
	return number != TASKS_NONE ? &steps->operations[number] : NULL;
}

static const char *begin_block(struct task_steps *steps, struct task_steps_thread *thread, size_t index)
{
	struct task_steps_task *task = task_of(steps, steps->recording->events[index].argument);
	const struct task_span *own = task_spans_innermost(&thread->spans, STMLOG_ROW_TASKS);
	if (own != NULL && own->task != (size_t)(task - steps->tasks))
		return "the thread works on another task";
	enter(steps, thread, index, TASKS_NONE);
	steps->operations = memory_grown(
		steps->operations, steps->operation_count, &steps->operation_cap, sizeof *steps->operations);
	steps->operations[steps->operation_count] =
		(struct operation){(size_t)(task - steps->tasks), index, TASKS_NONE, TASKS_NONE, TASKS_NONE};
	task->operation = steps->operation_count++;
	return NULL;
}

static bool is_abandoned(const struct task_steps *steps, size_t end)
{
	return steps->recording->events[end].detail == STMLOG_OUTCOME_ABANDONED;
}

static const char *end_block(struct task_steps *steps, struct task_steps_thread *thread, size_t index)
{
	const struct stmlog_event_record *events = steps->recording->events;
	struct operation *operation = operation_of(steps, task_of(steps, events[index].argument)->operation);
	if (task_spans_innermost(&thread->spans, STMLOG_ROW_TOUCHES) == NULL)
		return NULL; /* its beginning is missing */
	bool was_handled = operation != NULL && operation->handle != TASKS_NONE && !is_abandoned(steps, index);
	if (was_handled && operation->handle_end == TASKS_NONE)
		return "the operation is still being handled";
	if (was_handled && events[operation->handle_end].detail != events[index].detail)
		return "the operation was handled with another outcome";
	leave(steps, thread, index);
	if (operation != NULL)
		operation->end = index;
	if (!is_abandoned(steps, index))
		begin_segment(steps, thread, index);
	return NULL;
}

/* Whether the operation waits to be handled. */
static bool is_pending(const struct task_steps *steps, const struct operation *operation)
{
	return operation != NULL && operation->handle == TASKS_NONE &&
	       (operation->end == TASKS_NONE || is_abandoned(steps, operation->end));
}

static const char *begin_handling(struct task_steps *steps, struct task_steps_thread *thread, size_t index)
{
	struct task_steps_task *task = task_of(steps, steps->recording->events[index].argument);
	struct operation *operation = operation_of(steps, task->operation);
	bool is_on_record = is_pending(steps, operation);
	if (!is_on_record && !steps->has_gap && task->has_beginning)
		return "the task is not blocked for an operation";
	if (is_on_record)
		operation->handle = index;
	enter(steps, thread, index, is_on_record ? task->operation : TASKS_NONE);
	return NULL;
}

static const char *end_handling(struct task_steps *steps, struct task_steps_thread *thread, size_t index)
{
	const struct task_span *own = task_spans_innermost(&thread->spans, STMLOG_ROW_TASKS);
	if (own == NULL)
		return NULL; /* its beginning is missing */
	struct operation *operation = operation_of(steps, own->operation);
	if (operation != NULL)
		operation->handle_end = index;
	leave(steps, thread, index);
	begin_segment(steps, thread, index);
	return NULL;
}

const char *task_steps_add(struct task_steps *steps, size_t index)
{
	struct task_steps_thread *thread = task_steps_thread(steps, index);
	switch (steps->recording->events[index].kind) {
	case STMLOG_EVENT_TASK_CREATE:
		return create(steps, thread, index);
	case STMLOG_EVENT_TASK_START:
	case STMLOG_EVENT_TASK_RESUME:
		return begin(steps, thread, index);
	case STMLOG_EVENT_TASK_SUSPEND:
	case STMLOG_EVENT_TASK_END:
		return end(steps, thread, index);
	case STMLOG_EVENT_TOUCH_PAUSE:
		enter(steps, thread, index, TASKS_NONE);
		return NULL;
	case STMLOG_EVENT_TOUCH_RESUME:
		return resume_after_touch(steps, thread, index);
	case STMLOG_EVENT_BLOCK_BEGIN:
		return begin_block(steps, thread, index);
	case STMLOG_EVENT_BLOCK_END:
		return end_block(steps, thread, index);
	case STMLOG_EVENT_HANDLE_BEGIN:
		return begin_handling(steps, thread, index);
	case STMLOG_EVENT_HANDLE_END:
		return end_handling(steps, thread, index);
	case STMLOG_EVENT_ATTACH:
	case STMLOG_EVENT_DETACH:
		leave_all(steps, thread, index, TASK_SUSPENDED);
		return NULL;
	case STMLOG_EVENT_MISSING:
		leave_all(steps, thread, index, TASK_LOST);
		steps->has_gap = true;
		return NULL;
	default:
		return NULL;
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

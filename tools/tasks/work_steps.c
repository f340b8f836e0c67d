/* SPDX-License-Identifier: MIT
 * Takes the events of tasks one by one. Checks that those of different threads about one task fit together: the spans
 * of each thread do already (event_timeline_check()). */
#include "work_steps.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "event.h"
#include "memory.h"

/* ---- the tasks and threads ---- */

static const struct steps_worker nowhere = {.region = WORK_NONE, .segment = WORK_NONE};

static struct steps_task *steps_task(const struct steps *steps, uint64_t number)
{
	return &steps->tasks[ranks_find(&steps->numbers, number)];
}

static void steps_note_event(struct steps *steps, size_t index)
{
	const struct stmlog_event_record *event = &steps->recording->events[index];
	struct steps_task *task = steps_task(steps, event->argument);
	if (event->kind == STMLOG_EVENT_TASK_CREATE && task->create_at == WORK_NONE)
		task->create_at = index;
	task->has_beginning |= event->kind == STMLOG_EVENT_TASK_CREATE || event->kind == STMLOG_EVENT_TASK_START;
}

static void steps_list_tasks(struct steps *steps)
{
	const struct recording *recording = steps->recording;
	for (size_t i = 0; i < recording->event_count; i++)
		if (event_has_task(&recording->events[i]))
			ranks_add(&steps->numbers, recording->events[i].argument);
	ranks_sort(&steps->numbers);
	steps->tasks = memory_zeroed(steps->numbers.len, sizeof *steps->tasks);
	for (size_t i = 0; i < steps->numbers.len; i++)
		steps->tasks[i] = (struct steps_task){
			.task = {.number = steps->numbers.numbers[i], .created_by = WORK_NONE, .parent = WORK_NONE},
			.ordinal = WORK_NONE,
			.worker = nowhere,
			.create_at = WORK_NONE,
			.creator = WORK_NONE,
			.block = WORK_NONE,
			.suspension = WORK_NONE,
		};
	for (size_t i = 0; i < recording->event_count; i++)
		if (event_has_task(&recording->events[i]))
			steps_note_event(steps, i);
}

static void steps_list_threads(struct steps *steps)
{
	for (size_t i = 0; i < steps->recording->event_count; i++)
		ranks_add(&steps->thread_ids, steps->recording->events[i].thread);
	ranks_sort(&steps->thread_ids);
	steps->threads = memory_zeroed(steps->thread_ids.len, sizeof *steps->threads);
	for (size_t i = 0; i < steps->thread_ids.len; i++) {
		struct steps_thread *thread = &steps->threads[i];
		thread->own = nowhere;
		thread->own.is_at_work = true;
		thread->segment = thread->suspended = thread->region = WORK_NONE;
	}
}

void steps_init(struct steps *steps, struct work *work, const struct recording *recording)
{
	*steps = (struct steps){.recording = recording, .work = work};
	steps_list_tasks(steps);
	steps_list_threads(steps);
}

void steps_fini(struct steps *steps)
{
	for (size_t i = 0; i < steps->thread_ids.len; i++)
		free(steps->threads[i].spans);
	ranks_fini(&steps->numbers);
	ranks_fini(&steps->thread_ids);
	free(steps->tasks);
	free(steps->threads);
	free(steps->segments);
	free(steps->touches);
	free(steps->regions);
}

struct steps_thread *steps_thread(const struct steps *steps, size_t index)
{
	return &steps->threads[ranks_find(&steps->thread_ids, steps->recording->events[index].thread)];
}

/* ---- spans ---- */

static const struct stmlog_event_rule *steps_rule(const struct steps *steps, size_t index)
{
	return stmlog_event_rule_of(steps->recording->events[index].kind);
}

static void steps_open_span(struct steps_thread *thread, const struct stmlog_event_rule *rule, size_t task, size_t wait)
{
	REQUIRES(rule->row == STMLOG_ROW_TASKS || rule->row == STMLOG_ROW_TOUCHES);
	thread->spans = memory_grown(thread->spans, thread->span_count, &thread->span_cap, sizeof *thread->spans);
	thread->spans[thread->span_count++] = (struct steps_span){rule->span, rule->row, task, wait};
}

/* Closes the innermost span of the row. There may be none, if its beginning is missing. */
static void steps_close_span(struct steps_thread *thread, enum stmlog_row row)
{
	struct steps_span *span = steps_innermost(thread, row);
	if (span == NULL)
		return;
	size_t behind = thread->span_count - (size_t)(span - thread->spans) - 1;
	memmove(span, span + 1, behind * sizeof *span);
	thread->span_count--;
}

/* ---- segments and waits ---- */

/* Begins a segment of the task that the thread works on, if it works on one. Requires that none is open. */
static void steps_begin_segment(struct steps *steps, struct steps_thread *thread, size_t index)
{
	const struct stmlog_event_record *event = &steps->recording->events[index];
	size_t task = steps_task_at_work(thread), number = steps->segment_count;
	REQUIRES(thread->segment == WORK_NONE);
	if (task == WORK_NONE)
		return;
	steps->segments = memory_grown(steps->segments, number, &steps->segment_cap, sizeof *steps->segments);
	steps->segments[steps->segment_count++] = (struct steps_segment){
		.segment = {.task = task,
			.thread = event->thread,
			.begin = index,
			.end = WORK_NONE,
			.from_ns = event->time_ns,
			.until_ns = event->time_ns},
		.below = WORK_NONE,
	};
	thread->segment = number;
	steps->tasks[task].task.segment_count++;
	steps_place_segment(steps, &steps->tasks[task].worker, number);
}

/* Ends the open segment of the thread, if there is one. */
static void steps_end_segment(struct steps *steps, struct steps_thread *thread, size_t index)
{
	if (thread->segment == WORK_NONE)
		return;
	struct segment *segment = &steps->segments[thread->segment].segment;
	segment->end = index;
	segment->until_ns = steps->recording->events[index].time_ns;
	thread->segment = WORK_NONE;
}

/* Returns the number of a wait that begins with the event. */
static size_t steps_add_wait(struct steps *steps, enum task_wait_kind kind, size_t index)
{
	struct work *work = steps->work;
	size_t number = work->wait_count++;
	const struct steps_task *task = steps_task(steps, steps->recording->events[index].argument);
	work->waits = memory_grown(work->waits, number, &steps->wait_cap, sizeof *work->waits);
	work->waits[number] =
		(struct task_wait){kind, (size_t)(task - steps->tasks), index, WORK_NONE, WORK_NONE, WORK_NONE};
	return number;
}

static struct task_wait *steps_wait(const struct steps *steps, size_t number)
{
	return number != WORK_NONE ? &steps->work->waits[number] : NULL;
}

static bool steps_is_abandoned(const struct steps *steps, size_t end)
{
	return steps->recording->events[end].detail == STMLOG_OUTCOME_ABANDONED;
}

/* Opens the event's span, and works on its task, if the span is work on one. */
static void steps_enter(struct steps *steps, struct steps_thread *thread, size_t index, size_t wait)
{
	const struct steps_task *task = steps_task(steps, steps->recording->events[index].argument);
	steps_stop_worker(steps, thread);
	steps_end_segment(steps, thread, index);
	steps_open_span(thread, steps_rule(steps, index), (size_t)(task - steps->tasks), wait);
	steps_start_worker(steps, thread);
	steps_begin_segment(steps, thread, index);
}

/* Closes the event's span, and goes on with the work around it, if `goes_on`. */
static void steps_leave(struct steps *steps, struct steps_thread *thread, size_t index, bool goes_on)
{
	steps_stop_worker(steps, thread);
	steps_end_segment(steps, thread, index);
	steps_close_span(thread, steps_rule(steps, index)->row);
	steps_start_worker(steps, thread);
	if (goes_on)
		steps_begin_segment(steps, thread, index);
}

/* The thread leaves all its tasks, which get the state; at a gap its regions have no end. */
static void steps_leave_all(struct steps *steps, struct steps_thread *thread, size_t index, enum task_state state)
{
	steps_end_regions(steps, thread, state == TASK_STATE_LOST ? WORK_NONE : index);
	steps_stop_worker(steps, thread);
	steps_end_segment(steps, thread, index);
	for (size_t i = 0; i < thread->span_count; i++) {
		const struct steps_span *span = &thread->spans[i];
		if (span->span == STMLOG_SPAN_TASK)
			steps->tasks[span->task].state = state;
		else if (span->span == STMLOG_SPAN_TOUCH)
			steps->work->waits[span->wait].end = index;
	}
	thread->span_count = 0;
	thread->suspended = WORK_NONE;
	steps_start_worker(steps, thread);
}

/* ---- events: each returns a fault, or NULL ---- */

static const char *steps_create(struct steps *steps, struct steps_thread *thread, size_t index)
{
	struct steps_task *task = steps_task(steps, steps->recording->events[index].argument);
	if (task->task.created_by != WORK_NONE)
		return "the task was created already";
	if (task->state != TASK_STATE_NEW)
		return "the task was worked on before it was created";
	task->task.created_by = index;
	const struct steps_span *own = steps_innermost(thread, STMLOG_ROW_TASKS);
	if (own != NULL) {
		task->task.parent = own->task;
		task->creator = steps->tasks[own->task].worker.segment;
	}
	steps_inherit_region(steps, thread, task);
	return NULL;
}

/* Whether a later event creates the task at the same time: it may really have come before. */
static bool steps_is_created_meanwhile(const struct steps *steps, const struct steps_task *task, size_t index)
{
	const struct stmlog_event_record *events = steps->recording->events;
	return task->task.created_by == WORK_NONE && task->create_at != WORK_NONE &&
	       events[task->create_at].time_ns == events[index].time_ns;
}

/* Whether a thread may have worked on a new task without a record: before the timeline began, or in a gap. */
static bool steps_may_have_a_past(const struct steps *steps, const struct steps_task *task)
{
	return task->state == TASK_STATE_NEW && (steps->has_gap || !task->has_beginning);
}

static const char *steps_fault_of_begin(
	const struct steps *steps, const struct steps_task *task, size_t index, bool is_start)
{
	switch (task->state) {
	case TASK_STATE_NEW:
		if (!is_start && !steps_may_have_a_past(steps, task))
			return "the task was not suspended";
		return steps_is_created_meanwhile(steps, task, index) ? "the task is created only after that" : NULL;
	case TASK_STATE_WORKED_ON:
		return "a thread works on the task already";
	case TASK_STATE_SUSPENDED:
	case TASK_STATE_LOST:
		return is_start ? "the task was started already" : NULL;
	case TASK_STATE_ENDED:
		break;
	}
	return "the task has ended";
}

/* A start or a resume. */
static const char *steps_begin(struct steps *steps, struct steps_thread *thread, size_t index)
{
	const struct stmlog_event_record *event = &steps->recording->events[index];
	struct steps_task *task = steps_task(steps, event->argument);
	bool is_start = event->kind == STMLOG_EVENT_TASK_START;
	const char *fault = steps_fault_of_begin(steps, task, index, is_start);
	if (fault != NULL)
		return fault;
	if (!is_start && task->suspension != WORK_NONE) {
		steps->work->waits[task->suspension].end = index;
		task->suspension = WORK_NONE;
	}
	task->state = TASK_STATE_WORKED_ON;
	steps_enter(steps, thread, index, WORK_NONE);
	return NULL;
}

/* Of work on a task whose beginning on this thread is missing. */
static const char *steps_fault_of_unseen(const struct steps_task *task)
{
	if (task->state == TASK_STATE_WORKED_ON)
		return "another thread works on the task";
	return task->state == TASK_STATE_ENDED ? "the task has ended" : NULL;
}

static void steps_push_suspended(struct steps *steps, struct steps_thread *thread, const struct steps_task *task)
{
	steps->segments[task->worker.segment].below = thread->suspended;
	thread->suspended = task->worker.segment;
}

/* An end or a suspension. */
static const char *steps_end(struct steps *steps, struct steps_thread *thread, size_t index)
{
	const struct stmlog_event_record *event = &steps->recording->events[index];
	struct steps_task *task = steps_task(steps, event->argument);
	bool is_end = event->kind == STMLOG_EVENT_TASK_END, is_seen = steps_innermost(thread, STMLOG_ROW_TASKS) != NULL;
	const char *fault = is_seen ? NULL : steps_fault_of_unseen(task);
	if (fault != NULL)
		return fault;
	task->state = is_end ? TASK_STATE_ENDED : TASK_STATE_SUSPENDED;
	if (!is_end)
		task->suspension = steps_add_wait(steps, TASK_SUSPENDED, index);
	if (is_seen && !is_end)
		steps_push_suspended(steps, thread, task);
	if (is_seen)
		steps_leave(steps, thread, index, true);
	return NULL;
}

/* ---- touches ---- */

/* The last segment that was suspended on the thread and whose task still is. */
static size_t steps_suspended_last(const struct steps *steps, struct steps_thread *thread)
{
	while (thread->suspended != WORK_NONE) {
		const struct steps_segment *segment = &steps->segments[thread->suspended];
		const struct steps_task *task = &steps->tasks[segment->segment.task];
		if (task->state == TASK_STATE_SUSPENDED && task->worker.segment == thread->suspended)
			break;
		thread->suspended = segment->below;
	}
	return thread->suspended;
}

static bool steps_is_suspended_on(const struct steps *steps, const struct steps_task *task, uint32_t thread)
{
	return task->state == TASK_STATE_SUSPENDED && task->worker.segment != WORK_NONE &&
	       steps->segments[task->worker.segment].segment.thread == thread;
}

/* The segment that the touch follows; WORK_NONE: the toucher is no task. A thread that works on no task may join for
 * one that it has suspended, within a touch of another one. */
static size_t steps_touched_after(
	const struct steps *steps, struct steps_thread *thread, const struct steps_task *touched, uint32_t id)
{
	size_t at_work = steps_task_at_work(thread), parent = touched->task.parent;
	if (at_work != WORK_NONE)
		return steps->tasks[at_work].worker.segment;
	if (parent != WORK_NONE && steps_is_suspended_on(steps, &steps->tasks[parent], id))
		return steps->tasks[parent].worker.segment;
	const struct steps_span *interrupted = steps_innermost(thread, STMLOG_ROW_TASKS);
	return interrupted != NULL ? steps->tasks[interrupted->task].worker.segment
				   : steps_suspended_last(steps, thread);
}

static void steps_connect(struct steps *steps, const struct steps_task *touched, size_t after)
{
	if (after == WORK_NONE || touched->worker.segment == WORK_NONE)
		return;
	steps->touches = memory_grown(steps->touches, steps->touch_count, &steps->touch_cap, sizeof *steps->touches);
	steps->touches[steps->touch_count++] = (struct steps_touch){touched->worker.segment, after};
	steps->segments[after].is_bridged |= touched->creator == after;
}

static const char *steps_resume_after_touch(struct steps *steps, struct steps_thread *thread, size_t index)
{
	const struct stmlog_event_record *event = &steps->recording->events[index];
	struct steps_task *touched = steps_task(steps, event->argument);
	if (touched->state == TASK_STATE_WORKED_ON ||
		(touched->state != TASK_STATE_ENDED && !steps->has_gap && !steps_may_have_a_past(steps, touched)))
		return "the task touched has not ended";
	touched->state = TASK_STATE_ENDED;
	const struct steps_span *span = steps_innermost(thread, STMLOG_ROW_TOUCHES);
	if (span == NULL)
		return NULL; /* its beginning is missing, and with it the toucher */
	steps->work->waits[span->wait].end = index;
	steps_leave(steps, thread, index, false); /* the toucher may be at work already, resumed before this end */
	steps_connect(steps, touched, steps_touched_after(steps, thread, touched, event->thread));
	steps_begin_segment(steps, thread, index);
	return NULL;
}

/* ---- blocked operations ---- */

static const char *steps_begin_block(struct steps *steps, struct steps_thread *thread, size_t index)
{
	struct steps_task *task = steps_task(steps, steps->recording->events[index].argument);
	const struct steps_span *own = steps_innermost(thread, STMLOG_ROW_TASKS);
	if (own != NULL && own->task != (size_t)(task - steps->tasks))
		return "the thread works on another task";
	task->block = steps_add_wait(steps, TASK_BLOCKED, index);
	steps_enter(steps, thread, index, task->block);
	return NULL;
}

static const char *steps_end_block(struct steps *steps, struct steps_thread *thread, size_t index)
{
	const struct stmlog_event_record *events = steps->recording->events;
	struct task_wait *block = steps_wait(steps, steps_task(steps, events[index].argument)->block);
	if (steps_innermost(thread, STMLOG_ROW_TOUCHES) == NULL)
		return NULL; /* its beginning is missing */
	bool was_handled = block != NULL && block->handle != WORK_NONE && !steps_is_abandoned(steps, index);
	if (was_handled && block->handle_end == WORK_NONE)
		return "the operation is still being handled";
	if (was_handled && events[block->handle_end].detail != events[index].detail)
		return "the operation was handled with another outcome";
	if (block != NULL)
		block->end = index;
	steps_leave(steps, thread, index, !steps_is_abandoned(steps, index));
	return NULL;
}

/* Whether the operation waits to be handled. */
static bool steps_is_pending(const struct steps *steps, const struct task_wait *block)
{
	return block != NULL && block->handle == WORK_NONE &&
	       (block->end == WORK_NONE || steps_is_abandoned(steps, block->end));
}

static const char *steps_begin_handling(struct steps *steps, struct steps_thread *thread, size_t index)
{
	const struct steps_task *task = steps_task(steps, steps->recording->events[index].argument);
	struct task_wait *block = steps_wait(steps, task->block);
	bool is_on_record = steps_is_pending(steps, block);
	if (!is_on_record && !steps->has_gap && task->has_beginning)
		return "the task is not blocked for an operation";
	if (is_on_record)
		block->handle = index;
	steps_enter(steps, thread, index, is_on_record ? task->block : WORK_NONE);
	return NULL;
}

static const char *steps_end_handling(struct steps *steps, struct steps_thread *thread, size_t index)
{
	const struct steps_span *own = steps_innermost(thread, STMLOG_ROW_TASKS);
	struct task_wait *block = own != NULL ? steps_wait(steps, own->wait) : NULL;
	if (block != NULL)
		block->handle_end = index;
	if (own != NULL) /* else its beginning is missing */
		steps_leave(steps, thread, index, true);
	return NULL;
}

static const char *steps_take(struct steps *steps, struct steps_thread *thread, size_t index)
{
	switch (steps->recording->events[index].kind) {
	case STMLOG_EVENT_TASK_CREATE:
		return steps_create(steps, thread, index);
	case STMLOG_EVENT_TASK_START:
	case STMLOG_EVENT_TASK_RESUME:
		return steps_begin(steps, thread, index);
	case STMLOG_EVENT_TASK_SUSPEND:
	case STMLOG_EVENT_TASK_END:
		return steps_end(steps, thread, index);
	case STMLOG_EVENT_TOUCH_PAUSE:
		steps_enter(steps, thread, index, steps_add_wait(steps, TASK_TOUCHED, index));
		return NULL;
	case STMLOG_EVENT_TOUCH_RESUME:
		return steps_resume_after_touch(steps, thread, index);
	case STMLOG_EVENT_BLOCK_BEGIN:
		return steps_begin_block(steps, thread, index);
	case STMLOG_EVENT_BLOCK_END:
		return steps_end_block(steps, thread, index);
	case STMLOG_EVENT_HANDLE_BEGIN:
		return steps_begin_handling(steps, thread, index);
	case STMLOG_EVENT_HANDLE_END:
		return steps_end_handling(steps, thread, index);
	case STMLOG_EVENT_REGION_BEGIN:
		return steps_begin_region(steps, thread, index);
	case STMLOG_EVENT_REGION_END:
		return steps_end_region(steps, thread, index);
	case STMLOG_EVENT_ATTACH:
	case STMLOG_EVENT_DETACH:
		steps_leave_all(steps, thread, index, TASK_STATE_SUSPENDED);
		return NULL;
	case STMLOG_EVENT_MISSING:
		steps_leave_all(steps, thread, index, TASK_STATE_LOST);
		steps->has_gap = true;
		return NULL;
	default:
		return NULL;
	}
}

const char *steps_add(struct steps *steps, size_t index)
{
	const struct stmlog_event_record *event = &steps->recording->events[index];
	steps->now_ns = event->time_ns;
	const char *fault = steps_take(steps, steps_thread(steps, index), index);
	struct steps_task *task = fault == NULL && event_has_task(event) ? steps_task(steps, event->argument) : NULL;
	if (task != NULL && task->ordinal == WORK_NONE)
		task->ordinal = steps->taken++;
	return fault;
}

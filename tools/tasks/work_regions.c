/* SPDX-License-Identifier: MIT
 * Takes the events of regions one by one, and gives the time of each worker to the innermost region that it is in. */
#include "event.h"
#include "memory.h"
#include "saturate.h"
#include "work_steps.h"

/* ---- the time of workers ---- */

/* The task that the thread works on, or has interrupted for a wait; WORK_NONE. */
static size_t steps_task_on(const struct steps_thread *thread)
{
	const struct steps_span *innermost = steps_innermost(thread, STMLOG_ROW_TASKS);
	return innermost != NULL ? innermost->task : WORK_NONE;
}

static struct steps_worker *steps_worker(struct steps *steps, struct steps_thread *thread, size_t task)
{
	return task != WORK_NONE ? &steps->tasks[task].worker : &thread->own;
}

static struct steps_worker *steps_worker_on(struct steps *steps, struct steps_thread *thread)
{
	return steps_worker(steps, thread, steps_task_on(thread));
}

/* Counts the time of the worker up to now. */
static void steps_charge(struct steps *steps, struct steps_worker *worker)
{
	uint64_t time_ns = worker->is_at_work ? steps->now_ns - worker->since_ns : 0;
	if (worker->region != WORK_NONE)
		steps->work->regions[worker->region].own_ns += time_ns;
	if (worker->segment != WORK_NONE && time_ns > worker->stretch_ns) {
		worker->stretch_ns = time_ns;
		steps->segments[worker->segment].segment.region = worker->region;
	}
	worker->since_ns = steps->now_ns;
}

void steps_stop_worker(struct steps *steps, struct steps_thread *thread)
{
	struct steps_worker *worker = steps_worker_on(steps, thread);
	steps_charge(steps, worker);
	worker->is_at_work = false;
}

void steps_start_worker(struct steps *steps, struct steps_thread *thread)
{
	struct steps_worker *worker = steps_worker_on(steps, thread);
	steps_charge(steps, worker);
	worker->is_at_work = thread->span_count == 0 || steps_task_at_work(thread) != WORK_NONE;
}

void steps_place_segment(struct steps *steps, struct steps_worker *worker, size_t segment)
{
	worker->segment = segment;
	worker->stretch_ns = 0;
	steps->segments[segment].segment.region = worker->region;
}

void steps_inherit_region(struct steps *steps, struct steps_thread *thread, struct steps_task *created)
{
	created->worker.region = steps_worker_on(steps, thread)->region;
}

/* ---- events: each returns a fault, or NULL ---- */

const char *steps_begin_region(struct steps *steps, struct steps_thread *thread, size_t index)
{
	const struct stmlog_event_record *event = &steps->recording->events[index];
	struct steps_worker *worker = steps_worker_on(steps, thread);
	struct work *work = steps->work;
	size_t number = work->region_count++;
	steps_charge(steps, worker);
	work->regions = memory_grown(work->regions, number, &steps->region_cap, sizeof *work->regions);
	steps->regions = memory_grown(steps->regions, number, &steps->begun_cap, sizeof *steps->regions);
	work->regions[number] = (struct region){
		.tag = event_word(steps->recording, event),
		.thread = event->thread,
		.begin = index,
		.end = WORK_NONE,
		.parent = worker->region,
		.work = event->argument,
	};
	steps->regions[number] = (struct steps_region){.task = steps_task_on(thread), .below = thread->region};
	worker->region = thread->region = number;
	return NULL;
}

/* Ends the innermost region of the thread. Its worker leaves it, and the regions around it that have ended meanwhile.
 */
static void steps_end_innermost(struct steps *steps, struct steps_thread *thread, size_t end)
{
	struct steps_region *begun = &steps->regions[thread->region];
	struct steps_worker *worker = steps_worker(steps, thread, begun->task);
	steps_charge(steps, worker);
	steps->work->regions[thread->region].end = end;
	begun->has_ended = true;
	thread->region = begun->below;
	while (worker->region != WORK_NONE && steps->regions[worker->region].task == begun->task &&
		steps->regions[worker->region].has_ended)
		worker->region = steps->work->regions[worker->region].parent;
}

const char *steps_end_region(struct steps *steps, struct steps_thread *thread, size_t index)
{
	if (thread->region == WORK_NONE) /* its beginning is missing */
		return NULL;
	struct region *region = &steps->work->regions[thread->region];
	size_t task = steps->regions[thread->region].task, own = steps_task_on(thread);
	if (task != WORK_NONE && own != WORK_NONE && task != own)
		return "another task has begun the region";
	/* A file may claim any amounts of work. */
	region->work = saturated_sum(region->work, steps->recording->events[index].argument);
	steps_end_innermost(steps, thread, index);
	return NULL;
}

void steps_end_regions(struct steps *steps, struct steps_thread *thread, size_t end)
{
	while (thread->region != WORK_NONE)
		steps_end_innermost(steps, thread, end);
}

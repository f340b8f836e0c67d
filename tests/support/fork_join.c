/* SPDX-License-Identifier: MIT */
#include "fork_join.h"

#include <stmlog/timeline.h>

enum { NOBODY = FORK_JOIN_TASKS };

enum state { UNBORN, READY, AT_WORK, JOINING, TOUCHING, ADRIFT, ENDED };

struct task {
	enum state state;
	size_t parent;
	size_t steps;   /* still to be done before its end */
	size_t regions; /* open in it */
	size_t joined;  /* children with smaller numbers have been waited for */
	size_t touches; /* the task that it waits for, or NOBODY */
};

/* Invariant: of the tasks on a worker's stack all but the last are joining or touching. */
struct worker {
	size_t stack[FORK_JOIN_TASKS];
	size_t depth;
	size_t regions; /* open while it has no task */
};

struct run {
	struct fork_join *program;
	struct random *random;
	bool moves;
	uint64_t now_ns;
	struct task tasks[FORK_JOIN_TASKS];
	size_t born;
	struct worker workers[FORK_JOIN_WORKERS];
};

static uint32_t below(struct run *run, uint32_t limit)
{
	return random_below(run->random, limit);
}

static void put(struct run *run, size_t worker, enum stmlog_event_kind kind, uint64_t argument, uint32_t tag)
{
	size_t number = run->program->len++;
	run->program->events[number] =
		(struct fork_join_event){run->now_ns, argument, (uint32_t)worker + 1, tag, (uint8_t)kind, number};
}

/* Neither the ordinal nor ascending. */
static uint64_t number(size_t task)
{
	return 100 - task;
}

/* One of the tasks for which `fits` says so, or NOBODY. */
static size_t any_task(struct run *run, bool (*fits)(const struct run *run, size_t task, size_t of), size_t of)
{
	size_t chosen = NOBODY;
	uint32_t seen = 0;
	for (size_t i = 0; i < run->born; i++)
		if (fits(run, i, of) && below(run, ++seen) == 0)
			chosen = i;
	return chosen;
}

static bool is_ready(const struct run *run, size_t task, size_t of)
{
	(void)of;
	return run->tasks[task].state == READY || run->tasks[task].state == ADRIFT;
}

static bool is_child_in_work(const struct run *run, size_t task, size_t of)
{
	return run->tasks[task].parent == of && task >= run->tasks[of].joined &&
	       (run->tasks[task].state == AT_WORK || run->tasks[task].state == ENDED);
}

static size_t next_child(const struct run *run, size_t of)
{
	size_t child = run->tasks[of].joined;
	while (child < run->born && run->tasks[child].parent != of)
		child++;
	return child;
}

static void bear(struct run *run, size_t worker, size_t parent)
{
	if (run->born == FORK_JOIN_TASKS)
		return;
	run->tasks[run->born] = (struct task){.state = READY,
		.parent = parent,
		.steps = 1 + below(run, 8),
		.joined = run->born + 1,
		.touches = NOBODY};
	put(run, worker, STMLOG_EVENT_TASK_CREATE, number(run->born++), 0);
}

static void take_up(struct run *run, size_t worker, size_t task)
{
	struct worker *self = &run->workers[worker];
	bool is_new = run->tasks[task].state == READY;
	put(run, worker, is_new ? STMLOG_EVENT_TASK_START : STMLOG_EVENT_TASK_RESUME, number(task), 0);
	run->tasks[task].state = AT_WORK;
	self->stack[self->depth++] = task;
}

static void begin_region(struct run *run, size_t worker, size_t *open)
{
	put(run, worker, STMLOG_EVENT_REGION_BEGIN, below(run, 3), 1 + below(run, FORK_JOIN_TAGS));
	++*open;
}

static void end_region(struct run *run, size_t worker, size_t *open)
{
	put(run, worker, STMLOG_EVENT_REGION_END, below(run, 2), 0);
	--*open;
}

static void idle(struct run *run, size_t worker)
{
	struct worker *self = &run->workers[worker];
	size_t task = any_task(run, is_ready, 0);
	switch (below(run, 8)) {
	case 0:
		begin_region(run, worker, &self->regions);
		break;
	case 1:
		if (self->regions > 0)
			end_region(run, worker, &self->regions);
		break;
	case 2:
		bear(run, worker, NOBODY);
		break;
	default:
		if (task != NOBODY)
			take_up(run, worker, task);
	}
}

static void pause_for(struct run *run, size_t worker, size_t task, size_t child)
{
	put(run, worker, STMLOG_EVENT_TOUCH_PAUSE, number(child), 0);
	run->tasks[task].touches = child;
}

/* False: it waits for nothing, or no longer. Meanwhile the worker may work on other tasks. */
static bool waits(struct run *run, size_t worker, struct task *task)
{
	size_t other = any_task(run, is_ready, 0);
	if (task->touches == NOBODY)
		return false;
	if (run->tasks[task->touches].state == ENDED) {
		put(run, worker, STMLOG_EVENT_TOUCH_RESUME, number(task->touches), 0);
		task->touches = NOBODY;
		if (task->state == TOUCHING)
			task->state = AT_WORK;
	} else if (other != NOBODY && run->workers[worker].depth < FORK_JOIN_TASKS && below(run, 3) == 0) {
		take_up(run, worker, other);
	}
	return true;
}

/* Touches the next child, or works on something else meanwhile. */
static void join(struct run *run, size_t worker, size_t index)
{
	struct worker *self = &run->workers[worker];
	struct task *task = &run->tasks[index];
	size_t child = next_child(run, index), other = any_task(run, is_ready, 0);
	if (child == run->born) {
		put(run, worker, STMLOG_EVENT_TASK_RESUME, number(index), 0);
		task->state = AT_WORK;
	} else if (run->tasks[child].state == ENDED || (other == NOBODY && below(run, 4) == 0)) {
		pause_for(run, worker, index, child);
		task->joined = child + 1;
	} else if (other != NOBODY && self->depth < FORK_JOIN_TASKS) {
		take_up(run, worker, other);
	}
}

static void leave(struct run *run, size_t worker, size_t index, enum state state)
{
	struct worker *self = &run->workers[worker];
	bool has_ended = state == ENDED;
	put(run, worker, has_ended ? STMLOG_EVENT_TASK_END : STMLOG_EVENT_TASK_SUSPEND, number(index), 0);
	run->tasks[index].state = state;
	if (state != JOINING)
		self->depth--;
}

static void act(struct run *run, size_t worker, size_t index)
{
	struct task *task = &run->tasks[index];
	size_t child = any_task(run, is_child_in_work, index);
	switch (task->steps > 0 ? below(run, 10) : 8) {
	case 0:
	case 1:
	case 2:
	case 3:
		bear(run, worker, index);
		break;
	case 4:
		begin_region(run, worker, &task->regions);
		break;
	case 5:
		if (task->regions > 0)
			end_region(run, worker, &task->regions);
		break;
	case 6:
		if (child != NOBODY) {
			pause_for(run, worker, index, child);
			task->state = TOUCHING;
		}
		break;
	case 7:
		if (run->moves && task->regions == 0) {
			leave(run, worker, index, ADRIFT);
			break;
		}
		/* fallthrough */
	case 8:
		if (next_child(run, index) < run->born)
			leave(run, worker, index, JOINING);
		else if (task->steps == 0 && task->regions > 0)
			end_region(run, worker, &task->regions);
		else if (task->steps == 0)
			leave(run, worker, index, ENDED);
	}
	task->steps -= task->steps > 0;
}

static void step(struct run *run, size_t worker)
{
	struct worker *self = &run->workers[worker];
	if (self->depth == 0) {
		idle(run, worker);
		return;
	}
	size_t index = self->stack[self->depth - 1];
	struct task *task = &run->tasks[index];
	if (waits(run, worker, task))
		return;
	if (task->state == JOINING)
		join(run, worker, index);
	else
		act(run, worker, index);
}

void fork_join_make(struct fork_join *program, struct random *random, bool moves)
{
	struct run run = {.program = program, .random = random, .moves = moves};
	program->len = 0;
	for (size_t i = 0; i < FORK_JOIN_WORKERS; i++)
		put(&run, i, STMLOG_EVENT_ATTACH, 0, 0);
	for (size_t i = 0; i < 4 * FORK_JOIN_EVENTS && program->len < FORK_JOIN_EVENTS; i++) {
		run.now_ns += below(&run, 4) / 2 * below(&run, 100);
		step(&run, below(&run, FORK_JOIN_WORKERS));
	}
}

void fork_join_shuffle(struct fork_join *program, struct random *random)
{
	for (size_t i = 0; i < 10 * program->len; i++) {
		struct fork_join_event *pair = &program->events[random_below(random, (uint32_t)program->len - 1)];
		if (pair[0].time_ns != pair[1].time_ns || pair[0].thread == pair[1].thread)
			continue;
		struct fork_join_event first = pair[0];
		pair[0] = pair[1];
		pair[1] = first;
	}
}

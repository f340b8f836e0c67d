/* SPDX-License-Identifier: MIT
 * Lists all waits, sorts them by kind and word, and adds neighbours up. */
#include "task_waits.h"

#include <stdlib.h>
#include <string.h>

#include <stmlog/timeline.h>

#include "bars.h"
#include "check.h"
#include "event.h"
#include "memory.h"
#include "ranks.h"

const char *const task_wait_names[TASK_WAIT_KINDS] = {
	[TASK_WAIT_BLOCK] = "blocked",
	[TASK_WAIT_TOUCH] = "touch",
	[TASK_WAIT_SUSPENSION] = "suspended",
};

struct builder {
	const struct recording *recording;
	struct task_waits waits;
	size_t cap;
};

static void add(struct builder *builder, struct task_wait wait)
{
	struct task_waits *waits = &builder->waits;
	waits->waits = memory_grown(waits->waits, waits->len, &builder->cap, sizeof *waits->waits);
	wait.count = 1;
	waits->waits[waits->len++] = wait;
}

static const struct stmlog_event_record *event_at(const struct builder *builder, size_t index)
{
	return &builder->recording->events[index];
}

static uint64_t time_between(const struct builder *builder, size_t from, size_t until)
{
	return until != TASKS_NONE ? event_at(builder, until)->time_ns - event_at(builder, from)->time_ns : 0;
}

static void add_operation(struct builder *builder, const struct operation *operation)
{
	size_t handle = operation->handle, end = operation->end;
	add(builder,
		(struct task_wait){
			.kind = TASK_WAIT_BLOCK,
			.word = event_word(builder->recording, event_at(builder, operation->block)),
			.abandoned = end != TASKS_NONE && event_at(builder, end)->detail == STMLOG_OUTCOME_ABANDONED,
			.time_ns = time_between(builder, operation->block, end),
			.handled_ns = handle != TASKS_NONE ? time_between(builder, handle, operation->handle_end) : 0,
		});
}

static void add_touch(void *arg, const struct bar *bar)
{
	struct builder *builder = arg;
	const struct stmlog_event_record *event = event_at(builder, bar->index);
	bool has_end = bar->closed_by != BAR_NONE;
	const struct stmlog_event_record *end = has_end ? event_at(builder, bar->closed_by) : NULL;
	if (event->kind != STMLOG_EVENT_TOUCH_PAUSE)
		return;
	add(builder, (struct task_wait){
			     .kind = TASK_WAIT_TOUCH,
			     .word = event_word(builder->recording, event),
			     .abandoned = has_end && end->kind == STMLOG_EVENT_TOUCH_RESUME &&
					  end->detail == STMLOG_OUTCOME_ABANDONED,
			     .time_ns = has_end ? bar->until_ns - bar->from_ns : 0,
		     });
}

static void add_suspension(struct builder *builder, size_t suspend, size_t resume)
{
	add(builder, (struct task_wait){
			     .kind = TASK_WAIT_SUSPENSION,
			     .word = event_word(builder->recording, event_at(builder, suspend)),
			     .time_ns = time_between(builder, suspend, resume),
		     });
}

/* The last suspension of each task, by the rank of its number, as 1 + the event; 0: it is not suspended. */
struct suspensions {
	struct ranks numbers;
	size_t *events;
};

static void follow_suspension(struct builder *builder, struct suspensions *suspensions, size_t index)
{
	const struct stmlog_event_record *event = event_at(builder, index);
	if (event->kind != STMLOG_EVENT_TASK_SUSPEND && event->kind != STMLOG_EVENT_TASK_RESUME)
		return;
	size_t *suspend = &suspensions->events[ranks_find(&suspensions->numbers, event->argument)];
	if (event->kind == STMLOG_EVENT_TASK_SUSPEND) {
		*suspend = index + 1;
		return;
	}
	if (*suspend != 0)
		add_suspension(builder, *suspend - 1, index);
	*suspend = 0;
}

static void add_suspensions(struct builder *builder, const struct tasks *tasks)
{
	struct suspensions suspensions = {.events = memory_zeroed(tasks->len, sizeof(size_t))};
	for (size_t i = 0; i < tasks->len; i++)
		ranks_add(&suspensions.numbers, tasks->tasks[i].number);
	ranks_sort(&suspensions.numbers);
	for (size_t i = 0; i < builder->recording->event_count; i++)
		follow_suspension(builder, &suspensions, tasks_event(tasks, i));
	for (size_t i = 0; i < tasks->len; i++)
		if (suspensions.events[i] != 0)
			add_suspension(builder, suspensions.events[i] - 1, TASKS_NONE);
	ranks_fini(&suspensions.numbers);
	free(suspensions.events);
}

static int by_word(const void *a, const void *b)
{
	const struct task_wait *left = a, *right = b;
	return left->kind != right->kind ? (int)left->kind - (int)right->kind : strcmp(left->word, right->word);
}

static int longest_first(const void *a, const void *b)
{
	const struct task_wait *left = a, *right = b;
	if (left->time_ns != right->time_ns)
		return left->time_ns > right->time_ns ? -1 : 1;
	return by_word(a, b);
}

static void add_up(struct task_waits *waits)
{
	size_t len = 0;
	if (waits->len > 0)
		qsort(waits->waits, waits->len, sizeof *waits->waits, by_word);
	for (size_t i = 0; i < waits->len; i++) {
		const struct task_wait *wait = &waits->waits[i];
		if (len == 0 || by_word(&waits->waits[len - 1], wait) != 0) {
			waits->waits[len++] = *wait;
			continue;
		}
		waits->waits[len - 1].count++;
		waits->waits[len - 1].abandoned += wait->abandoned;
		waits->waits[len - 1].time_ns += wait->time_ns;
		waits->waits[len - 1].handled_ns += wait->handled_ns;
	}
	waits->len = len;
	if (len > 0)
		qsort(waits->waits, len, sizeof *waits->waits, longest_first);
}

struct task_waits task_waits_of(const struct recording *recording, const struct tasks *tasks)
{
	static const struct bar_sink sink = {.close = add_touch};
	struct builder builder = {.recording = recording};
	REQUIRES(tasks->fault == NULL);
	struct bar_lanes lanes = bar_lanes_of(recording);
	for (size_t i = 0; i < tasks->operation_count; i++)
		add_operation(&builder, &tasks->operations[i]);
	bars_walk(recording, &lanes, &sink, &builder, NULL);
	add_suspensions(&builder, tasks);
	bar_lanes_fini(&lanes);
	add_up(&builder.waits);
	return builder.waits;
}

void task_waits_fini(struct task_waits *waits)
{
	free(waits->waits);
	*waits = (struct task_waits){.len = 0};
}

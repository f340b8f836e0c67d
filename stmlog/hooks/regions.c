/* SPDX-License-Identifier: MIT
 * The hooks for the program's own events: tasks, regions, counters and marks. */
#include "clock.h"
#include "events.h"
#include "misuse.h"
#include "session.h"
#include "timeline.h"

static void region_put(struct stmlog_thread *thread, struct stmlog_event event, const char *word)
{
	if (!timeline_is_on())
		return;
	event.time_ns = account_no_earlier(&thread->account, clock_now_ns());
	timeline_put(thread, &event, tb_current(thread->stack), word);
	session_has_more();
}

static void put_event(struct stmlog_thread *thread, struct stmlog_event event, const char *word)
{
	if (!thread_enter(thread))
		return;
	region_put(thread, event, word);
	thread_leave(thread);
}

static void put_guarded(struct stmlog_thread *thread, enum stmlog_event_kind kind, uint64_t argument, const char *word)
{
	put_event(thread, (struct stmlog_event){.argument = argument, .kind = (uint8_t)kind}, word);
}

/* ---- tasks ---- */

void stmlog_task_on(struct stmlog_thread *thread, enum stmlog_event_kind kind, uint64_t task)
{
	stmlog_task_info_on(thread, kind, task, NULL, 0, 0);
}

void stmlog_task_info_on(struct stmlog_thread *thread, enum stmlog_event_kind kind, uint64_t task, const char *word,
	uint64_t value, unsigned detail)
{
	if (!stmlog_event_has_value(kind) || detail > event_detail_max(kind)) {
		misuse_count("stmlog_task() of a kind that is not about a task, or with a detail that the kind does "
			     "not have");
		return;
	}
	value = value < STMLOG_TASK_VALUE_MAX ? value : STMLOG_TASK_VALUE_MAX;
	struct stmlog_event event = {
		.argument = task,
		.other = (uint32_t)value,
		.kind = (uint8_t)kind,
		.reason = (uint8_t)(value >> 32),
		.contention = (uint8_t)(value >> 40),
		.detail = (uint8_t)detail,
	};
	put_event(thread, event, word);
}

/* ---- regions, counters, marks ---- */

void stmlog_region_begin_on(struct stmlog_thread *thread, const char *tag, uint64_t work)
{
	put_guarded(thread, STMLOG_EVENT_REGION_BEGIN, work, tag);
}

void stmlog_region_end_on(struct stmlog_thread *thread, uint64_t work)
{
	put_guarded(thread, STMLOG_EVENT_REGION_END, work, NULL);
}

void stmlog_counter_on(struct stmlog_thread *thread, const char *name, uint64_t value)
{
	put_guarded(thread, STMLOG_EVENT_COUNTER, value, name);
}

void stmlog_mark_on(struct stmlog_thread *thread, const char *name, uint64_t value)
{
	put_guarded(thread, STMLOG_EVENT_MARK, value, name);
}

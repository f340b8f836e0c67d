/* SPDX-License-Identifier: MIT
 * The hooks for the program's own events: tasks, regions, counters and marks. */
#include "clock.h"
#include "session.h"
#include "timeline.h"

static void put(struct stmlog_thread *thread, enum stmlog_event_kind kind, uint64_t argument, const char *word)
{
	if (!timeline_is_on())
		return;
	struct stmlog_event event = {
		.time_ns = account_no_earlier(&thread->account, clock_now_ns()),
		.argument = argument,
		.kind = (uint8_t)kind,
	};
	timeline_put(thread, &event, tb_current(thread->stack), word);
	session_has_more();
}

static void put_guarded(struct stmlog_thread *thread, enum stmlog_event_kind kind, uint64_t argument, const char *word)
{
	if (!thread_enter(thread))
		return;
	put(thread, kind, argument, word);
	thread_leave(thread);
}

void stmlog_task_on(struct stmlog_thread *thread, enum stmlog_event_kind kind, uint64_t task)
{
	put_guarded(thread, kind, task, NULL);
}

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

/* SPDX-License-Identifier: MIT
 *
 * Timelines. A report adds losses up; a timeline keeps each event by itself, with its time and its thread. Events that
 * found no room are replaced by events of kind `missing`, which say how many they were, and when.
 *
 *   stmlog_timeline_start();
 *   ... transactions, on any threads ...
 *   stmlog_timeline_stop();
 *   struct stmlog_timeline *timeline = stmlog_timeline_take();
 *   ... stmlog_timeline_check(), cursors ...
 *   stmlog_timeline_destroy(&timeline);
 *
 * While a timeline runs, the hooks of <stmlog/runtime.h> record events of transactions by themselves. The hooks below
 * record events of the program: tasks, regions, counters and marks.
 *
 * Threads. Hooks: only the thread that `thread` belongs to, as in runtime.h. Everything else: any thread, while
 * the others go on; a thread that records never waits for a reader.
 *
 * Cost. While no timeline runs: one branch in each hook. While one runs: 32 bytes of memory for each event. Only
 * stmlog_abort_other() and stmlog_became_inevitable() read the clock once more than without a timeline.
 */
#ifndef STMLOG_TIMELINE_H
#define STMLOG_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/compiler.h>
#include <stmlog/runtime.h>
#include <stmlog/traceback.h>

STMLOG_BEGIN_DECLS

enum stmlog_event_kind {
#define STMLOG_EVENT(id, name, role, span, argument, doc) STMLOG_EVENT_##id,
#include <stmlog/events.def>
#undef STMLOG_EVENT
	STMLOG_EVENT_KINDS
};

/* The name of a kind, "start", "wait-begin" ...; "?" for any other number. */
STMLOG_API const char *stmlog_event_name(unsigned kind);

/* ---- the tables of events.def: what events open and close ---- */

enum stmlog_span {
#define STMLOG_SPAN(id, row, doc) STMLOG_SPAN_##id,
#include <stmlog/events.def>
#undef STMLOG_SPAN
	STMLOG_SPANS,
	STMLOG_SPAN_NONE = STMLOG_SPANS
};

enum stmlog_row {
	STMLOG_ROW_TRANSACTIONS,
	STMLOG_ROW_TASKS,
	STMLOG_ROW_TOUCHES,
	STMLOG_ROW_REGIONS,
	STMLOG_ROWS,
	STMLOG_ROW_NONE = STMLOG_ROWS
};

enum stmlog_role { STMLOG_ROLE_OPENS, STMLOG_ROLE_CLOSES, STMLOG_ROLE_WITHIN, STMLOG_ROLE_LEADS, STMLOG_ROLE_ALONE };

struct stmlog_event_rule {
	const char *name;
	enum stmlog_role role;
	enum stmlog_span span;
	enum stmlog_row row; /* of the span */
	const char *argument;
};

/* Returns the rule of a kind, a constant; for any other number the rule of an event "?" that is alone. */
STMLOG_API const struct stmlog_event_rule *stmlog_event_rule_of(unsigned kind);

/* What a wait is for. */
enum stmlog_wait_for {
	STMLOG_WAIT_FOR_SEGMENT,         /* a free segment (runtime.h), before a transaction begins */
	STMLOG_WAIT_FOR_OTHER,           /* another transaction; the cause says which conflict */
	STMLOG_WAIT_FOR_SYNCHRONISATION, /* the runtime's own synchronisation */
	STMLOG_WAIT_FOR_CHANGE /* of something that the transaction has read: it has asked for a retry that blocks */
};

/* One event. The events of a timeline are ordered by time; events of one thread with equal times are in the order in
 * which it recorded them. A `missing` event stands where the gap begins: its time is the earliest that the missing
 * events can have, stmlog_event_latest_ns() the latest. */
struct stmlog_event {
	uint64_t time_ns;
	uint64_t argument; /* its meaning for each kind: events.def */
	uint32_t place;    /* index into the timeline's places; 0: not known */
	uint32_t thread;   /* never 0; of a `missing` event: the thread of the next recorded event, or of the last */
	/* `other`, `reason` and `contention` of an event about a task hold its value instead (stmlog_event_value()). */
	uint32_t other;     /* the thread of the other transaction; 0: there is none, or not known */
	uint8_t kind;       /* enum stmlog_event_kind */
	uint8_t reason;     /* of the cause, for abort, abort-other, contention and wait-begin; else 0 */
	uint8_t contention; /* likewise */
	/* abort: enum stmlog_grade; wait-begin: enum stmlog_wait_for; contention: the kind of the next event of its
	 * thread, which the conflict leads to; task-start, task-resume: enum stmlog_task_work; block-begin: enum
	 * stmlog_task_block; task-end, touch-resume, block-end, handle-end: enum stmlog_task_outcome; else 0 */
	uint8_t detail;
};

/* Whether events of this kind are about a task: their members `other`, `contention` and `reason` hold a value. Other
 * numbers than kinds are about none. */
STMLOG_INLINE bool stmlog_event_has_value(unsigned kind)
{
	return (kind >= STMLOG_EVENT_TASK_CREATE && kind <= STMLOG_EVENT_TOUCH_RESUME) ||
	       (kind >= STMLOG_EVENT_BLOCK_BEGIN && kind <= STMLOG_EVENT_HANDLE_END);
}

/* The value that the program passed for an event about a task (struct stmlog_task_info); 0: none. Requires
 * stmlog_event_has_value(). */
STMLOG_INLINE uint64_t stmlog_event_value(const struct stmlog_event *event)
{
	return (uint64_t)event->contention << 40 | (uint64_t)event->reason << 32 | event->other;
}

/* The latest time of the missing events. Requires that the event is of kind `missing`: there, `place` and `other` hold
 * this time. */
STMLOG_INLINE uint64_t stmlog_event_latest_ns(const struct stmlog_event *event)
{
	return event->time_ns + ((uint64_t)event->other << 32 | event->place);
}

/* The traceback of an event, and its word: the runtime's word for a cause, the tag of a region, the name of a counter
 * or mark, the word of an event about a task. Many events share one place. */
struct stmlog_place {
	bool is_known;               /* the traceback is known; then len 0 is the empty traceback */
	bool is_cut;                 /* frames further out are missing */
	uint32_t len;                /* at most TB_COPY_FRAMES */
	const struct tb_site *sites; /* innermost first */
	const char *word;            /* NULL: none */
};

/* ---- recording ---- */

enum stmlog_timeline_mode {
	STMLOG_TIMELINE_RING,     /* full: keeps the newest events of each thread */
	STMLOG_TIMELINE_GROW,     /* full: keeps the oldest */
	STMLOG_TIMELINE_UNBOUNDED /* full: gets room for as many again; without memory, as GROW */
};

#define STMLOG_TIMELINE_EVENTS 65536 /* of each thread, by default: 2 MB */
#define STMLOG_TIMELINE_MAX (UINT32_C(1) << 28)

/* Sets how many events each thread keeps, 1 to STMLOG_TIMELINE_MAX; if unbounded, for how many it gets room at a time.
 * Once in a session, before the first start. The option timeline=EVENTS[,grow] of STMLOG_OPTIONS does the same and
 * starts a timeline; so does timeline=unbounded, with room for STMLOG_TIMELINE_EVENTS at a time. The room is kept until
 * the session is closed, whether its events are taken or not. Returns 0, -EINVAL, -EALREADY, or -ENODEV (not open). */
STMLOG_API int stmlog_timeline_prepare(size_t events, enum stmlog_timeline_mode mode);

/* Starts an empty timeline. Events of an earlier timeline that were not taken are lost. It includes threads that attach
 * later. Returns 0, -ENODEV (not open), or -ENOMEM: there is no memory for the events of some thread, which are only
 * counted. */
STMLOG_API int stmlog_timeline_start(void);

/* Stops recording. The events up to now can still be taken. */
STMLOG_API void stmlog_timeline_stop(void);

/* ---- hooks for the program's own events ---- */

/* Private: twice the number of the run, plus one while it is under way. Stored with release order, after all other data
 * of the run; partner: timeline_put(). */
STMLOG_PRIVATE extern volatile size_t stmlog_timeline_run;

/* Costs one load. */
STMLOG_INLINE bool stmlog_timeline_is_running(void)
{
	return (STMLOG_LOAD_RELAXED(&stmlog_timeline_run) & 1) != 0;
}

#ifdef STMLOG_OFF
#define STMLOG_TIMELINE_HOOK(thread, call) STMLOG_HOOK(thread, call)
#else
#define STMLOG_TIMELINE_HOOK(thread, call)                                             \
	do {                                                                           \
		if (STMLOG_UNLIKELY(stmlog_timeline_is_running() && (thread) != NULL)) \
			call;                                                          \
	} while (0)
#endif

/* Private: the hooks after the test for NULL. Requires that `thread` is not NULL. */
STMLOG_PRIVATE void stmlog_task_on(struct stmlog_thread *thread, enum stmlog_event_kind kind, uint64_t task);
STMLOG_PRIVATE void stmlog_task_info_on(struct stmlog_thread *thread, enum stmlog_event_kind kind, uint64_t task,
	const char *word, uint64_t value, unsigned detail);
STMLOG_PRIVATE void stmlog_region_begin_on(struct stmlog_thread *thread, const char *tag, uint64_t work);
STMLOG_PRIVATE void stmlog_region_end_on(struct stmlog_thread *thread, uint64_t work);
STMLOG_PRIVATE void stmlog_counter_on(struct stmlog_thread *thread, const char *name, uint64_t value);
STMLOG_PRIVATE void stmlog_mark_on(struct stmlog_thread *thread, const char *name, uint64_t value);

/* How the work on a task came to begin on this thread. */
enum stmlog_task_work {
	STMLOG_WORK_ANYWHERE,      /* any thread could have begun it */
	STMLOG_WORK_BOUND,         /* only this thread could: the task needs something that no other thread has */
	STMLOG_WORK_AFTER_OVERFLOW /* it goes on after an overflow of a stack had stopped it */
};

/* Why a task cannot go on. */
enum stmlog_task_block {
	STMLOG_BLOCK_OPERATION, /* another thread has to run an operation for it */
	STMLOG_BLOCK_DEFERRED,  /* the operation must not run before some thread touches the task */
	STMLOG_BLOCK_TOUCH,     /* it needs the end of another task, whose number is the value */
	STMLOG_BLOCK_OVERFLOW   /* the stack has overflowed */
};

/* How a task, a wait for one, a block or the handling of an operation has ended. */
enum stmlog_task_outcome {
	STMLOG_OUTCOME_VALUE,
	STMLOG_OUTCOME_ERROR,
	STMLOG_OUTCOME_ABANDONED /* without a result; not for handle-end */
};

/* What an event about a task says besides. */
struct stmlog_task_info {
	const char *word; /* a word (runtime.h): the operation, the reason of a suspension ...; NULL: none */
	uint64_t value;   /* a number of bytes, of a task ...; at most STMLOG_TASK_VALUE_MAX is recorded */
	unsigned detail;  /* one of the enumerations above, by the kind of event (struct stmlog_event) */
};

#define STMLOG_TASK_VALUE_MAX ((UINT64_C(1) << 48) - 1)

/* Tasks have numbers of the program's choice. A task is created once, by any thread. Then one thread at a time works on
 * it, from start or resume to suspend or end. Call suspend and end before another thread can see that the task is
 * suspended or has ended. A join is stmlog_task_suspend(); stmlog_touch_pause() and stmlog_touch_resume() for each
 * child, whichever thread ran it; stmlog_task_resume().
 *
 * Spans about tasks nest. While a thread waits for a task in a touch, it may work on other tasks, which may touch
 * further ones. Directly within a task, without a touch between them, it does not begin another one: it suspends its
 * own first. Spans end in the reverse order. Any other call is refused as a mistake.
 *
 * An operation that a task cannot run itself: the thread that works on the task records block-begin, with the operation
 * as the word. The thread that runs the operation records handle-begin and handle-end, with the number of that task,
 * and may itself be in a touch or handle another operation. Then the first thread records block-end, with the outcome.
 * Or it no longer waits: block-end with STMLOG_OUTCOME_ABANDONED, and task-suspend. The operation may be handled before
 * the task is resumed. (These are the pairs of Racket's futures-trace: sync, block, touch and overflow with result,
 * abort or suspend; start-work, start-0-work and start-overflow-work.) */

/* Records an event about a task: one of the kinds TASK_*, TOUCH_*, BLOCK_* and HANDLE_*. `info` may be NULL. The
 * functions below are the same without one. */
STMLOG_INLINE void stmlog_task(
	struct stmlog_thread *thread, enum stmlog_event_kind kind, uint64_t task, const struct stmlog_task_info *info)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_task_info_on(thread, kind, task, info != NULL ? info->word : NULL,
					     info != NULL ? info->value : 0, info != NULL ? info->detail : 0));
}
STMLOG_INLINE void stmlog_task_create(struct stmlog_thread *thread, uint64_t task)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_task_on(thread, STMLOG_EVENT_TASK_CREATE, task));
}
STMLOG_INLINE void stmlog_task_start(struct stmlog_thread *thread, uint64_t task)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_task_on(thread, STMLOG_EVENT_TASK_START, task));
}
STMLOG_INLINE void stmlog_task_suspend(struct stmlog_thread *thread, uint64_t task)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_task_on(thread, STMLOG_EVENT_TASK_SUSPEND, task));
}
STMLOG_INLINE void stmlog_task_resume(struct stmlog_thread *thread, uint64_t task)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_task_on(thread, STMLOG_EVENT_TASK_RESUME, task));
}
STMLOG_INLINE void stmlog_task_end(struct stmlog_thread *thread, uint64_t task)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_task_on(thread, STMLOG_EVENT_TASK_END, task));
}

/* The thread waits until the task has ended. */
STMLOG_INLINE void stmlog_touch_pause(struct stmlog_thread *thread, uint64_t task)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_task_on(thread, STMLOG_EVENT_TOUCH_PAUSE, task));
}
STMLOG_INLINE void stmlog_touch_resume(struct stmlog_thread *thread, uint64_t task)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_task_on(thread, STMLOG_EVENT_TOUCH_RESUME, task));
}

/* A region of the program. `tag` is a word (runtime.h). The work of a region, in any unit, is the sum of both arguments
 * `work`. It may be known at the beginning (the number of operations, say) or at the end (the count of a counter of
 * <stmlog/measure.h>, say). Regions of a thread nest. A region ends on the thread where it began. */
STMLOG_INLINE void stmlog_region_begin(struct stmlog_thread *thread, const char *tag, uint64_t work)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_region_begin_on(thread, tag, work));
}
STMLOG_INLINE void stmlog_region_end(struct stmlog_thread *thread, uint64_t work)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_region_end_on(thread, work));
}

/* Records that the program's number `name` has this value now (a counter), or that the program has reached the point
 * `name` (a mark). `name` is a word (runtime.h). */
STMLOG_INLINE void stmlog_counter(struct stmlog_thread *thread, const char *name, uint64_t value)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_counter_on(thread, name, value));
}
STMLOG_INLINE void stmlog_mark(struct stmlog_thread *thread, const char *name, uint64_t value)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_mark_on(thread, name, value));
}

/* ---- reading ---- */

/* Invariants: events are in order, as above; each place of an event is < place_count; places[0] is not known. */
struct stmlog_timeline {
	bool is_continued;   /* an earlier take has returned the first events since the start */
	uint64_t unrecorded; /* events since the start, of threads without memory for events */
	uint64_t unmeasured; /* attempts since the start that the runtime did not measure: they have no events */
	size_t len;
	const struct stmlog_event *events;
	size_t place_count;
	const struct stmlog_place *places;
	size_t bytes; /* memory of the recorded events in the process, taken ones included; without this copy */
};

/* Takes the events of all threads since the last take, of the timeline that runs or was stopped last. Each event is
 * returned once; an event that is recorded during the call comes in this take or in the next. The caller owns the
 * result. Returns NULL with errno ENOMEM (then the next take has these events, too) or ENODEV (not open). */
STMLOG_API struct stmlog_timeline *stmlog_timeline_take(void);
STMLOG_API void stmlog_timeline_destroy(struct stmlog_timeline **timeline);

/* Receives an event at the time when it is recorded, by the thread that records it. `traceback` and `word` are those of
 * its place; the member `place` is 0. All are borrowed for the duration of the call. There is no event for a gap:
 * events that find no room in the timeline are delivered, too. The function may look at the traceback (tb_down()), and
 * calls no other function of stmlog. Hooks of this thread are refused meanwhile. */
typedef void (*stmlog_timeline_listener)(
	void *arg, const struct stmlog_event *event, const struct tb_frame *traceback, const char *word);

/* Sets the function that receives each event of the timelines that are started from now on; NULL: none. Returns 0;
 * -EBUSY: a timeline runs; -ENODEV: not open. */
STMLOG_API int stmlog_timeline_listen(stmlog_timeline_listener listener, void *arg);

/* Starts a timeline, calls call(arg), stops the timeline and takes it: the events of all threads during the call. */
STMLOG_API struct stmlog_timeline *stmlog_timeline_trace(void (*call)(void *arg), void *arg);

/* The index of the first event from `index` on, of any thread or of the given one; timeline->len: none. */
STMLOG_INLINE size_t stmlog_timeline_next(const struct stmlog_timeline *timeline, size_t index)
{
	return index < timeline->len ? index : timeline->len;
}
STMLOG_API size_t stmlog_timeline_next_of(const struct stmlog_timeline *timeline, size_t index, uint32_t thread);

/* The first fault of a timeline. */
struct stmlog_timeline_fault {
	size_t index;     /* of the event at fault; len: no event is */
	const char *what; /* a sentence without the full stop; static */
};

/* Checks a timeline against events.def: that all numbers exist, that times are in order, that begin and end match on
 * each thread, and that each contention is followed by the event that it leads to. After a gap of a thread, and at the
 * beginning of a continued timeline, spans may or may not be open. Spans that are open at the end are no fault. Takes
 * time O(len), and memory in proportion to the number of threads. Returns false and sets *fault if there is a fault, or
 * no memory to check. */
STMLOG_API bool stmlog_timeline_check(const struct stmlog_timeline *timeline, struct stmlog_timeline_fault *fault);

STMLOG_END_DECLS

#endif

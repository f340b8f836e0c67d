/* SPDX-License-Identifier: MIT
 *
 * Timelines: what has happened, when, on which thread. Where a report adds up, a timeline keeps each
 * event; what it could not keep it accounts for, by events of kind `missing`.
 *
 *   stmlog_timeline_start(NULL);
 *   ... transactions, on any threads ...
 *   stmlog_timeline_stop();
 *   struct stmlog_timeline *timeline = stmlog_timeline_take();
 *   ... stmlog_timeline_check(), cursors ...
 *   stmlog_timeline_destroy(&timeline);
 *
 * The hooks of <stmlog/runtime.h> leave events while a timeline runs: nothing else is to be called for
 * transactions. Tasks, regions, counters and marks are told by the hooks below.
 *
 * Threads. Hooks: the thread that `thread` belongs to, as in runtime.h. Everything else: any thread, while
 * the others go on; nobody who records waits for a reader.
 *
 * Cost. Not started: one branch in each hook. Running: 32 bytes written for each event, and no reading of the
 * clock that the hook does not take anyhow, but for stmlog_abort_other() and stmlog_became_inevitable().
 */
#ifndef STMLOG_TIMELINE_H
#define STMLOG_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/compiler.h>
#include <stmlog/runtime.h>
#include <stmlog/stmlog.h>
#include <stmlog/traceback.h>

STMLOG_BEGIN_DECLS

enum stmlog_event_kind {
#define STMLOG_EVENT(id, name, pairing, partner, argument, doc) STMLOG_EVENT_##id,
#include <stmlog/events.def>
#undef STMLOG_EVENT
	STMLOG_EVENT_KINDS
};

/* "start", "wait-begin" ...; "?" for any other number. */
STMLOG_API const char *stmlog_event_name(unsigned kind);

/* What a wait is for. */
enum stmlog_wait_for {
	STMLOG_WAIT_FOR_SEGMENT,        /* until the thread may begin, nobody knows because of whom */
	STMLOG_WAIT_FOR_OTHER,          /* another transaction: the cause says how they met */
	STMLOG_WAIT_FOR_SYNCHRONISATION /* the runtime's own business */
};

/* One event. The events of a timeline are in the order of their times and, where these are equal, each thread's as
 * it has recorded them; an event's index there is its number in the trace. A `missing` one stands where the gap begins:
 * its time is the earliest that the lost events can have, stmlog_event_latest_ns() the latest. */
struct stmlog_event {
	uint64_t time_ns;
	uint64_t argument;  /* as events.def says */
	uint32_t place;     /* into the timeline's places; 0: not known */
	uint32_t thread;    /* never 0; of a gap: of the next event that is on record, or of the last */
	uint32_t other;     /* the thread that was in the way; 0: nobody, or not known */
	uint8_t kind;       /* enum stmlog_event_kind */
	uint8_t reason;     /* of the cause, where the kind has one: abort, contention, wait-begin; else 0 */
	uint8_t contention; /* likewise */
	uint8_t detail;     /* abort: enum stmlog_grade; wait-begin: enum stmlog_wait_for; contention: the kind of
			     * event that comes of it, next on its thread; else 0 */
};

/* Requires: the event is a `missing` one. Those use two members otherwise. */
static inline uint64_t stmlog_event_latest_ns(const struct stmlog_event *event)
{
	return event->time_ns + ((uint64_t)event->other << 32 | event->place);
}

/* Where an event was, and the word that goes with it: the runtime's own for a cause, the tag of a region, the name
 * of a counter or mark. */
struct stmlog_place {
	bool is_known;               /* the traceback is; len 0: and it is empty */
	bool is_cut;                 /* frames further out are missing */
	uint32_t len;                /* at most TB_COPY_FRAMES */
	const struct tb_site *sites; /* innermost first */
	const char *word;            /* the caller's static string; NULL: none */
};

/* ---- recording ---- */

enum stmlog_timeline_mode {
	STMLOG_TIMELINE_RING, /* full: keeps the newest events of each thread */
	STMLOG_TIMELINE_GROW  /* full: keeps the oldest */
};

#define STMLOG_TIMELINE_EVENTS 65536 /* of each thread, unless said otherwise: 2 MB */
#define STMLOG_TIMELINE_MOST (UINT32_C(1) << 28)

/* Says how many events each thread keeps, 1 to STMLOG_TIMELINE_MOST. Once in a session, before the first start; the
 * option timeline=EVENTS[,grow] of STMLOG_OPTIONS does the same and starts. Returns 0, -EINVAL, -EALREADY or -ENODEV
 * (not open). */
STMLOG_API int stmlog_timeline_prepare(size_t events, enum stmlog_timeline_mode mode);

/* Starts a timeline that is empty; one that runs is begun anew. Threads that attach later are in it from their
 * attaching on. Returns 0, -ENODEV (not open) or -ENOMEM (a thread has no room: its events are missing, by number). */
STMLOG_API int stmlog_timeline_start(void);

/* From here on nothing is recorded; what has been is there to be taken. */
STMLOG_API void stmlog_timeline_stop(void);

/* ---- hooks: what the program tells of its work ---- */

/* Private: twice the number of the run, plus one while it is under way. Stored with release order when all that
 * belongs to the run is; partner: timeline_put(). */
STMLOG_API extern volatile size_t stmlog_timeline_run;

/* One load: for hooks, too. */
static inline bool stmlog_timeline_is_running(void)
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

/* The out-of-line halves; `thread` is not NULL. */
STMLOG_API void stmlog_task_on(struct stmlog_thread *thread, enum stmlog_event_kind kind, uint64_t task);
STMLOG_API void stmlog_region_begin_on(struct stmlog_thread *thread, const char *tag, uint64_t work);
STMLOG_API void stmlog_region_end_on(struct stmlog_thread *thread, uint64_t work);
STMLOG_API void stmlog_counter_on(struct stmlog_thread *thread, const char *name, uint64_t value);
STMLOG_API void stmlog_mark_on(struct stmlog_thread *thread, const char *name, uint64_t value);

/* Tasks have numbers of the program's choice. One is created once, on any thread; then it is worked on by one thread
 * at a time, from start or resume to suspend or end; its end is told before anybody can know of it, its suspension
 * likewise. A thread works on one task at a time. Whoever runs a task's child himself, or looks for other work while he
 * waits, suspends the task meanwhile. A join: suspend; for each child a touch, run by whomever; resume. */
static inline void stmlog_task_create(struct stmlog_thread *thread, uint64_t task)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_task_on(thread, STMLOG_EVENT_TASK_CREATE, task));
}
static inline void stmlog_task_start(struct stmlog_thread *thread, uint64_t task)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_task_on(thread, STMLOG_EVENT_TASK_START, task));
}
static inline void stmlog_task_suspend(struct stmlog_thread *thread, uint64_t task)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_task_on(thread, STMLOG_EVENT_TASK_SUSPEND, task));
}
static inline void stmlog_task_resume(struct stmlog_thread *thread, uint64_t task)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_task_on(thread, STMLOG_EVENT_TASK_RESUME, task));
}
static inline void stmlog_task_end(struct stmlog_thread *thread, uint64_t task)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_task_on(thread, STMLOG_EVENT_TASK_END, task));
}

/* The thread waits until that task has ended. */
static inline void stmlog_touch_pause(struct stmlog_thread *thread, uint64_t task)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_task_on(thread, STMLOG_EVENT_TOUCH_PAUSE, task));
}
static inline void stmlog_touch_resume(struct stmlog_thread *thread, uint64_t task)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_task_on(thread, STMLOG_EVENT_TOUCH_RESUME, task));
}

/* A region of the program: `tag` is a static string; `work`, what is done in it, in any unit: what its beginning says,
 * expected operations, say, and what its end says, such as what a counter has counted meanwhile (<stmlog/measure.h>),
 * added up. Regions of a thread nest. A task that is suspended in a region ends it on the same thread.
 */
static inline void stmlog_region_begin(struct stmlog_thread *thread, const char *tag, uint64_t work)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_region_begin_on(thread, tag, work));
}
static inline void stmlog_region_end(struct stmlog_thread *thread, uint64_t work)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_region_end_on(thread, work));
}

/* A number of the program's, and a place in it; `name` is a static string. */
static inline void stmlog_counter(struct stmlog_thread *thread, const char *name, uint64_t value)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_counter_on(thread, name, value));
}
static inline void stmlog_mark(struct stmlog_thread *thread, const char *name, uint64_t value)
{
	STMLOG_TIMELINE_HOOK(thread, stmlog_mark_on(thread, name, value));
}

/* ---- reading ---- */

/* Invariants: events are in order, as above; each place of an event is < place_count; places[0] is not known. */
struct stmlog_timeline {
	bool is_continued;   /* an earlier take has returned the run's first events */
	uint64_t unrecorded; /* events of threads for which there was no memory, in the run up to now */
	size_t len;
	const struct stmlog_event *events;
	size_t place_count;
	const struct stmlog_place *places;
};

/* All events since the last take, of the run that is under way or was stopped last, merged; each is returned
 * once. Owned: see destroy. NULL and errno without memory (then the events are there for the next take) or when not
 * open. An event that is being recorded meanwhile is in this one or the next. */
STMLOG_API struct stmlog_timeline *stmlog_timeline_take(void);
STMLOG_API void stmlog_timeline_destroy(struct stmlog_timeline **timeline);

/* Starts, calls call(arg), stops, takes: what happened in the meantime, on all threads. */
STMLOG_API struct stmlog_timeline *stmlog_timeline_trace(void (*call)(void *arg), void *arg);

/* The index of the first event from `index` on, of any thread or of the given one; timeline->len: none. */
static inline size_t stmlog_timeline_next(const struct stmlog_timeline *timeline, size_t index)
{
	return index < timeline->len ? index : timeline->len;
}
STMLOG_API size_t stmlog_timeline_next_of(const struct stmlog_timeline *timeline, size_t index, uint32_t thread);

/* What a timeline breaks, first of all. */
struct stmlog_timeline_fault {
	size_t index;     /* of the event that breaks it; len: the timeline itself */
	const char *what; /* a sentence without the full stop; static */
};

/* Whether all of it is as events.def says: numbers that exist, times in order, pairs that match on each thread, and
 * contentions that are followed by what comes of them. Behind a gap of a thread, and at the beginning of one that is
 * continued, anything may be open or not. What is open at the end is no fault. Takes O(len), and memory by the number
 * of threads. Returns false and sets *fault where something is wrong, or there was no memory. */
STMLOG_API bool stmlog_timeline_check(const struct stmlog_timeline *timeline, struct stmlog_timeline_fault *fault);

STMLOG_END_DECLS

#endif

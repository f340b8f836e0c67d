/* SPDX-License-Identifier: MIT
 * Decides which events of a thread are recorded, and writes them as records into its track. */
#include "recorder.h"

#define _SDT_HAS_SEMAPHORES 1 /* usdt.h; of this file's probe */

#include <string.h>

#include "check.h"
#include "events.h"
#include "mem.h"
#include "misuse.h"
#include "usdt.h"

_Static_assert(sizeof(struct stmlog_event) == sizeof(struct track_record), "an event is a record");
_Static_assert(offsetof(struct stmlog_event, time_ns) == 0, "the first word of a record is its time");
_Static_assert(STMLOG_SPANS <= 32, "a bit for each span");

struct recorder *recorder_create(size_t events, enum track_mode mode, struct tb_stack *stack)
{
	struct recorder *recorder = mem_alloc(sizeof *recorder);
	if (recorder == NULL)
		return NULL;
	if (!track_init(&recorder->track, events, mode)) {
		mem_free(recorder, sizeof *recorder);
		return NULL;
	}
	recorder->stack = stack;
	return recorder;
}

void recorder_destroy(struct recorder **recorder)
{
	if (*recorder == NULL)
		return;
	places_clear(&(*recorder)->places, (*recorder)->stack);
	task_nest_fini(&(*recorder)->nest);
	track_fini(&(*recorder)->track);
	mem_free(*recorder, sizeof **recorder);
	*recorder = NULL;
}

/* ---- open spans ---- */

static uint32_t bit(enum stmlog_span span)
{
	return UINT32_C(1) << span;
}

static bool is_open(const struct recorder *recorder, enum stmlog_span span)
{
	return (recorder->open & bit(span)) != 0;
}

/* Closes the span. Returns whether it was open. */
static bool close_span(struct recorder *recorder, enum stmlog_span span)
{
	bool was_open = is_open(recorder, span);
	recorder->open &= ~bit(span);
	return was_open;
}

/* Whether the event opens a region, or closes one that was opened in this run. Regions nest. */
static bool is_region_of_the_run(struct recorder *recorder, enum stmlog_role role)
{
	if (role == STMLOG_ROLE_CLOSES)
		return recorder->regions > 0 && recorder->regions-- > 0;
	recorder->regions++;
	return true;
}

/* Whether the event fits the tasks that the thread works on, and those that it waits for. If not, counts the mistake:
 * unlike attempts and waits, tasks have no state that a hook could have checked. */
static bool is_in_turn(struct recorder *recorder, const struct stmlog_event_rule *rule, uint64_t task)
{
	switch (task_nest_apply(&recorder->nest, rule, task)) {
	case TASK_NEST_FITS:
		return true;
	case TASK_NEST_SHUT:
		break;
	case TASK_NEST_IN_ITSELF:
	case TASK_NEST_ANOTHER:
		misuse_count("a task is begun directly within another one, or left in place of another one");
		break;
	case TASK_NEST_NO_MEMORY:
		AO_store(&recorder->unrecorded, AO_load(&recorder->unrecorded) + 1);
		break;
	}
	return false;
}

/* Whether the event may be recorded: it must not close, or lie within, a span that was opened before the run. Updates
 * which spans are open. */
static bool is_of_the_run(struct recorder *recorder, const struct stmlog_event *event)
{
	const struct stmlog_event_rule *rule = &event_rules[event->kind];
	if (rule->span == STMLOG_SPAN_REGION)
		return is_region_of_the_run(recorder, rule->role);
	if (task_nest_has(rule))
		return is_in_turn(recorder, rule, event->argument);
	switch (rule->role) {
	case STMLOG_ROLE_OPENS:
		recorder->open |= bit(rule->span);
		return true;
	case STMLOG_ROLE_CLOSES:
		return close_span(recorder, rule->span);
	case STMLOG_ROLE_WITHIN:
		return is_open(recorder, rule->span);
	case STMLOG_ROLE_LEADS:
	case STMLOG_ROLE_ALONE:
		break;
	}
	return true;
}

/* As is_of_the_run(), but faster for the first two kinds, which most events are of. A contention may be recorded if the
 * event that follows from it may be recorded; a wait always may. */
static inline bool may_put(struct recorder *recorder, const struct stmlog_event *event)
{
	if (event->kind == STMLOG_EVENT_START) {
		recorder->open |= bit(STMLOG_SPAN_ATTEMPT);
		return true;
	}
	if (event->kind == STMLOG_EVENT_COMMIT)
		return close_span(recorder, STMLOG_SPAN_ATTEMPT);
	if (event->kind == STMLOG_EVENT_CONTENTION && event->detail != STMLOG_EVENT_WAIT_BEGIN)
		return is_open(recorder, STMLOG_SPAN_ATTEMPT);
	return is_of_the_run(recorder, event);
}

/* ---- recording ---- */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are put together as they lie in an event");

/* Stored while no timeline runs, and so before the number of a run (stmlog_timeline_run) that threads load first. */
static struct {
	stmlog_timeline_listener call;
	void *arg;
} listener;

/* How many want each event: tracers of the probe, which change it themselves, and the listener. */
unsigned short stmlog_event_semaphore USDT_SEMAPHORE;

void recorder_listen(stmlog_timeline_listener call, void *arg)
{
	int change = (call != NULL) - (listener.call != NULL);
	listener.call = call;
	listener.arg = arg;
	__atomic_fetch_add(&stmlog_event_semaphore, (unsigned short)change, __ATOMIC_RELAXED);
}

/* Out of line, with the record by value: its address would keep it in memory on the fast path. */
__attribute__((noinline, cold)) static void deliver(
	struct track_record record, const struct tb_frame *traceback, const char *word)
{
	struct stmlog_event event = recorder_event(&record);
	event.place = 0;
	USDT_EVENT(&event, word);
	if (listener.call != NULL)
		listener.call(listener.arg, &event, traceback, word);
}

/* Adds the event, at least with the time of the event before it: its own time may be that of an earlier hook, or a time
 * that the runtime has passed. Builds the words in registers: a wide load of members that were just stored one by one
 * would stall. */
static inline void event_add(
	struct recorder *recorder, const struct stmlog_event *event, const struct tb_frame *traceback, const char *word)
{
	if (STMLOG_LIKELY(event->time_ns > recorder->newest_ns))
		recorder->newest_ns = event->time_ns;
	uint64_t small = (uint64_t)event->kind | (uint64_t)event->reason << 8 | (uint64_t)event->contention << 16 |
			 (uint64_t)event->detail << 24;
	struct track_record record = {{
		recorder->newest_ns,
		event->argument,
		event->place | (uint64_t)AO_load(&recorder->thread) << 32,
		event->other | small << 32,
	}};
	track_add(&recorder->track, &record);
	if (STMLOG_UNLIKELY(stmlog_event_semaphore != 0))
		deliver(record, traceback, word);
}

struct stmlog_event recorder_missing(const struct track_gap *gap)
{
	uint64_t span_ns = gap->latest_ns - gap->earliest_ns;
	return (struct stmlog_event){
		.time_ns = gap->earliest_ns,
		.argument = gap->count,
		.place = (uint32_t)span_ns,
		.other = (uint32_t)(span_ns >> 32),
		.kind = STMLOG_EVENT_MISSING,
	};
}

/* The event is passed by value: so for the most frequent kinds the compiler keeps it in registers. */
static inline void event_put(
	struct recorder *recorder, struct stmlog_event event, struct tb_frame *traceback, const char *word)
{
	if (!may_put(recorder, &event))
		return;
	event.place = places_number(&recorder->places, traceback, word);
	event_add(recorder, &event, traceback, word);
}

void recorder_put(
	struct recorder *recorder, const struct stmlog_event *event, struct tb_frame *traceback, const char *word)
{
	event_put(recorder, *event, traceback, word);
}

void recorder_put_bare(
	struct recorder *recorder, enum stmlog_event_kind kind, uint64_t time_ns, struct tb_frame *traceback)
{
	event_put(recorder, (struct stmlog_event){.time_ns = time_ns, .kind = (uint8_t)kind}, traceback, NULL);
}

static void restart(struct recorder *recorder, uint64_t run)
{
	track_restart(&recorder->track, run);
	recorder->newest_ns = 0;
	AO_store(&recorder->unrecorded, 0);
}

bool recorder_begin(
	struct recorder *recorder, uint64_t run, uint32_t thread, uint64_t began_ns, const struct stmlog_event *first)
{
	REQUIRES(run != 0);
	if (first->time_ns < began_ns)
		return false;
	if (AO_load(&recorder->track.run) != run)
		restart(recorder, run);
	AO_store(&recorder->thread, thread);
	recorder->open = 0;
	recorder->regions = 0;
	task_nest_clear(&recorder->nest);
	if (first->kind != STMLOG_EVENT_ATTACH) {
		struct stmlog_event attach = {.time_ns = began_ns, .kind = STMLOG_EVENT_ATTACH};
		recorder->open = bit(STMLOG_SPAN_THREAD);
		event_add(recorder, &attach, TB_UNKNOWN, NULL);
	}
	recorder->run = run;
	return true;
}

struct stmlog_event recorder_event(const struct track_record *record)
{
	struct stmlog_event event;
	memcpy(&event, record, sizeof event);
	return event;
}

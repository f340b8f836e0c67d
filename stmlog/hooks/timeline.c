/* SPDX-License-Identifier: MIT
 * Starts and stops timelines, gives recorders to threads, and puts events into them. */
#include "timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "clock.h"
#include "registry.h"
#include "session.h"

/* While a timeline runs: the number of its run, which is odd. After the stop: that number minus one. */
volatile size_t stmlog_timeline_run;

/* Under the registry's lock, except for the atomic fields, and while the session is being opened. */
static struct {
	size_t events; /* 0: not prepared */
	enum track_mode mode;
	bool has_been_taken;     /* stmlog_timeline_take() has returned events of the present run */
	volatile AO_t has_begun; /* there was a run in this session */
	struct recorder *first, **last;
	size_t recorders;
	volatile AO_t began_ns; /* of the run; stored before the run's number */
	volatile AO_t unrecorded;
	uint64_t unmeasured_before; /* registry_unmeasured() when the run began */
	uint64_t unmeasured;        /* of the run, if it was stopped */
} timeline = {.last = &timeline.first};

/* ---- hooks ---- */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Returns the thread's recorder, if it has begun the present run; otherwise NULL. */
static inline struct recorder *recorder_in_run(struct stmlog_thread *thread)
{
	AO_t run = AO_load_acquire(&stmlog_timeline_run);                                  /* partner: begin_run() */
	struct recorder *recorder = (struct recorder *)AO_load_acquire(&thread->recorder); /* partner: equip() */
	return STMLOG_LIKELY(recorder != NULL && recorder_has_begun(recorder, run)) ? recorder : NULL;
}

/* Begins the run in the thread's recorder, at its first event. Returns the recorder; NULL if the event must not be
 * recorded. Out of line. */
static struct recorder *timeline_begin(struct stmlog_thread *thread, const struct stmlog_event *first)
{
	AO_t run = AO_load_acquire(&stmlog_timeline_run);
	struct recorder *recorder = (struct recorder *)AO_load_acquire(&thread->recorder);
	uint32_t number = stmlog_thread_id(thread);
	if ((run & 1) == 0 || number == 0) /* 0: the pretended thread of stmlog_probe_cost_ns() */
		return NULL;
	if (recorder == NULL) {
		AO_fetch_and_add1(&timeline.unrecorded);
		return NULL;
	}
	uint64_t began_ns = later(AO_load(&timeline.began_ns), AO_load(&thread->account.attached_at_ns));
	return recorder_begin(recorder, run, number, began_ns, first) ? recorder : NULL;
}

void timeline_put(
	struct stmlog_thread *thread, const struct stmlog_event *event, struct tb_frame *traceback, const char *word)
{
	struct recorder *recorder = recorder_in_run(thread);
	if (recorder == NULL)
		recorder = timeline_begin(thread, event);
	if (recorder != NULL)
		recorder_put(recorder, event, traceback, word);
}

void timeline_put_bare(
	struct stmlog_thread *thread, enum stmlog_event_kind kind, uint64_t time_ns, struct tb_frame *traceback)
{
	struct recorder *recorder = recorder_in_run(thread);
	if (recorder != NULL) {
		recorder_put_bare(recorder, kind, time_ns, traceback);
		return;
	}
	struct stmlog_event first = {.time_ns = time_ns, .kind = (uint8_t)kind};
	timeline_put(thread, &first, traceback, NULL);
}

void timeline_make_room(struct stmlog_thread *thread)
{
	struct recorder *recorder = (struct recorder *)AO_load_acquire(&thread->recorder);
	if (recorder != NULL)
		track_touch(&recorder->track);
}

/* ---- threads ---- */

/* From this number of recorders on, a recorder of an ended thread is reused even if its events were not taken. */
#define RECORDERS_MAX 256

/* Returns a recorder that no thread owns, with tracebacks of this stack, whose events were all taken; from
 * RECORDERS_MAX recorders on, it may have events that were not taken. NULL: there is none. */
static struct recorder *find_idle(const struct tb_stack *stack)
{
	uint64_t run = timeline_run_number();
	for (struct recorder *recorder = timeline.first; recorder != NULL; recorder = recorder->next) {
		bool is_idle = !recorder->is_owned && recorder->stack == stack;
		if (is_idle && (timeline.recorders >= RECORDERS_MAX ||
				       track_pending(&recorder->track, &recorder->position, run) == 0))
			return recorder;
	}
	return NULL;
}

static struct recorder *add_recorder(struct tb_stack *stack)
{
	struct recorder *recorder = recorder_create(timeline.events, timeline.mode, stack);
	if (recorder == NULL)
		return NULL;
	*timeline.last = recorder;
	timeline.last = &recorder->next;
	timeline.recorders++;
	return recorder;
}

/* Gives the thread a recorder. The thread may be in a hook: it finds either no recorder or a complete one. */
static bool equip(struct stmlog_thread *thread)
{
	if (AO_load(&thread->recorder) != 0)
		return true;
	struct recorder *recorder = find_idle(thread->stack);
	if (recorder == NULL)
		recorder = add_recorder(thread->stack);
	if (recorder == NULL)
		return false;
	recorder_hand_on(recorder);
	AO_store_release(&thread->recorder, (AO_t)recorder);
	return true;
}

void timeline_attached(struct stmlog_thread *thread)
{
	if (timeline.events == 0 || !timeline_is_on())
		return;
	equip(thread);
	timeline_put_bare(thread, STMLOG_EVENT_ATTACH, AO_load(&thread->account.attached_at_ns), TB_UNKNOWN);
}

void timeline_detached(struct stmlog_thread *thread)
{
	struct recorder *recorder = (struct recorder *)AO_load(&thread->recorder);
	if (timeline_is_on())
		timeline_put_bare(thread, STMLOG_EVENT_DETACH,
			later(clock_now_ns(), account_since_ns(&thread->account)), TB_UNKNOWN);
	if (recorder != NULL)
		recorder->is_owned = false;
	AO_store(&thread->recorder, 0);
}

/* ---- runs ---- */

static int prepare(size_t events, enum stmlog_timeline_mode mode)
{
	static const enum track_mode modes[] = {[STMLOG_TIMELINE_RING] = TRACK_RING,
		[STMLOG_TIMELINE_GROW] = TRACK_GROW,
		[STMLOG_TIMELINE_UNBOUNDED] = TRACK_UNBOUNDED};
	if (events == 0 || events > STMLOG_TIMELINE_MAX || (unsigned)mode > STMLOG_TIMELINE_UNBOUNDED)
		return -EINVAL;
	if (timeline.events != 0)
		return -EALREADY;
	timeline.events = events;
	timeline.mode = modes[mode];
	return 0;
}

int stmlog_timeline_prepare(size_t events, enum stmlog_timeline_mode mode)
{
	if (!session_is_open())
		return -ENODEV;
	registry_lock();
	int error = prepare(events, mode);
	registry_unlock();
	return error;
}

static void begin_run(uint64_t unmeasured)
{
	AO_store(&stmlog_timeline_run, AO_load(&stmlog_timeline_run) & ~(AO_t)1);
	AO_store(&timeline.began_ns, clock_now_ns());
	timeline.has_been_taken = false;
	AO_store(&timeline.unrecorded, 0);
	timeline.unmeasured_before = unmeasured;
	AO_store(&timeline.has_begun, 1);
	/* Release; partners: recorder_in_run() and timeline_begin(). */
	AO_store_release(&stmlog_timeline_run, ((AO_load(&stmlog_timeline_run) >> 1) + 1) << 1 | 1);
}

int stmlog_timeline_start(void)
{
	if (!session_is_open())
		return -ENODEV;
	int error = 0, saved = errno;
	registry_lock();
	if (timeline.events == 0)
		prepare(STMLOG_TIMELINE_EVENTS, STMLOG_TIMELINE_RING);
	for (struct stmlog_thread *thread = registry.attached; thread != NULL; thread = thread->next)
		if (!equip(thread))
			error = -ENOMEM;
	begin_run(registry_unmeasured());
	registry_unlock();
	errno = saved;
	return error;
}

void stmlog_timeline_stop(void)
{
	registry_lock();
	timeline.unmeasured = timeline_unmeasured();
	AO_store_release(&stmlog_timeline_run, AO_load(&stmlog_timeline_run) & ~(AO_t)1);
	registry_unlock();
}

int stmlog_timeline_listen(stmlog_timeline_listener listener, void *arg)
{
	if (!session_is_open())
		return -ENODEV;
	registry_lock();
	int error = timeline_is_on() ? -EBUSY : 0;
	if (error == 0)
		recorder_listen(listener, arg);
	registry_unlock();
	return error;
}

/* ---- for the reader ---- */

struct recorder *timeline_recorders(void)
{
	return timeline.first;
}

uint64_t timeline_run_number(void)
{
	return AO_load(&stmlog_timeline_run) | 1;
}

uint64_t timeline_began_ns(void)
{
	return AO_load(&timeline.began_ns);
}

bool timeline_has_begun(void)
{
	return AO_load(&timeline.has_begun);
}

bool timeline_is_continued(void)
{
	return timeline.has_been_taken;
}

void timeline_continue(void)
{
	timeline.has_been_taken = true;
}

size_t timeline_bytes(void)
{
	size_t bytes = 0;
	for (const struct recorder *recorder = timeline.first; recorder != NULL; recorder = recorder->next)
		bytes += track_bytes(&recorder->track);
	return bytes;
}

uint64_t timeline_unrecorded(void)
{
	uint64_t unrecorded = AO_load(&timeline.unrecorded);
	REQUIRES(registry_is_locked());
	for (const struct recorder *recorder = timeline.first; recorder != NULL; recorder = recorder->next)
		if (AO_load(&recorder->track.run) == timeline_run_number())
			unrecorded += AO_load(&recorder->unrecorded);
	return unrecorded;
}

uint64_t timeline_unmeasured(void)
{
	return timeline_is_on() ? registry_unmeasured() - timeline.unmeasured_before : timeline.unmeasured;
}

/* ---- close, fork, options ---- */

void timeline_close(void)
{
	AO_store(&stmlog_timeline_run, AO_load(&stmlog_timeline_run) & ~(AO_t)1);
	while (timeline.first != NULL) {
		struct recorder *recorder = timeline.first;
		timeline.first = recorder->next;
		recorder_destroy(&recorder);
	}
	timeline.last = &timeline.first;
	timeline.recorders = 0;
	timeline.events = 0;
	recorder_listen(NULL, NULL);
	AO_store(&timeline.has_begun, 0);
}

/* The recorders of other threads, like the threads' records, are neither used again nor freed: their owners may have
 * been changing them when the process forked. */
void timeline_fork_child(struct stmlog_thread *self)
{
	bool is_on = timeline_is_on();
	timeline.first = NULL;
	timeline.last = &timeline.first;
	struct recorder *own = self != NULL ? (struct recorder *)AO_load(&self->recorder) : NULL;
	if (own != NULL) {
		own->next = NULL;
		timeline.first = own;
		timeline.last = &own->next;
	}
	timeline.recorders = own != NULL;
	if (is_on)
		begin_run(0); /* all counts of the child begin with 0 */
}

/* EVENTS, EVENTS,ring, EVENTS,grow, or unbounded. Returns false if the value is none of these. */
static bool parse(const char *value, size_t *events, enum stmlog_timeline_mode *mode)
{
	*events = STMLOG_TIMELINE_EVENTS;
	*mode = STMLOG_TIMELINE_UNBOUNDED;
	if (strcmp(value, "unbounded") == 0)
		return true;
	char *end;
	errno = 0;
	unsigned long long number = strtoull(value, &end, 10);
	bool is_ring = *end == '\0' || strcmp(end, ",ring") == 0;
	*events = (size_t)number;
	*mode = is_ring ? STMLOG_TIMELINE_RING : STMLOG_TIMELINE_GROW;
	return end != value && errno == 0 && number > 0 && number <= STMLOG_TIMELINE_MAX &&
	       (is_ring || strcmp(end, ",grow") == 0);
}

/* timeline=off, or what parse() takes. */
void timeline_read_options(void)
{
	const char *value = options_get(&session.options, "timeline");
	size_t events;
	enum stmlog_timeline_mode mode;
	if (value == NULL || strcmp(value, "off") == 0)
		return;
	if (!parse(value, &events, &mode)) {
		options_warn_value("timeline", value, "off, unbounded, or a number of events and perhaps ,grow");
		return;
	}
	prepare(events, mode);
	begin_run(0);
}

/* SPDX-License-Identifier: MIT
 *
 * A recorder: the track for a thread's timeline events, and the numbers of their places. It is created when a timeline
 * starts or a thread attaches, and exists until the session is closed. After the end of its thread, a later thread with
 * the same stack gets the recorder when all its events were taken. If there are very many recorders, a later thread
 * gets it sooner: then a gap may be of several threads, and names one of them.
 *
 * An event that closes a span (an attempt, a wait, a region ...), or that is within one, is recorded only if the span
 * was opened in the same run.
 */
#ifndef STMLOG_RECORDER_H
#define STMLOG_RECORDER_H

#include <stmlog/timeline.h>

#include "events.h"
#include "places.h"
#include "track.h"

struct recorder {
	struct track track;
	struct places places;
	struct tb_stack *stack; /* of the tracebacks in `places` */

	/* Written by the owner; of the present run. */
	uint64_t run;         /* number of the run that the owner has begun; 0: none yet */
	volatile AO_t thread; /* number of the owner; 0: none yet. A reader needs it for a gap without any event */
	uint32_t open;        /* spans that are open and in no nest: a bit for each enum stmlog_span */
	uint64_t newest_ns;   /* time of its newest event */
	uint64_t regions;
	struct task_nest nest;    /* the spans about tasks that are open */
	volatile AO_t unrecorded; /* events about tasks for whose spans there was no memory */

	/* Under the registry's lock; only the reader uses the positions. */
	bool is_owned;                  /* by an attached thread */
	struct track_position position; /* after the events that were taken */
	struct track_position read;     /* after the events that were read, which are taken if the snapshot succeeds */
	struct recorder *next;
};

/* Returns NULL without memory. */
struct recorder *recorder_create(size_t events, enum track_mode mode, struct tb_stack *stack);
void recorder_destroy(struct recorder **recorder);

/* Gives the recorder to its first or next owner. Called under the registry's lock. */
static inline void recorder_hand_on(struct recorder *recorder)
{
	recorder->is_owned = true;
	recorder->run = 0;
}

/* ---- owner, in hooks (thread_enter()); it records events after it has begun the run ---- */

static inline bool recorder_has_begun(const struct recorder *recorder, uint64_t run)
{
	return recorder->run == run;
}

/* Begins the run of this number for the owner. The run began at `began_ns`. Records an attach event of
 * the thread, unless `first`, the thread's first event of the run, is the attach. Returns false if `first` is older
 * than the run, because its hook read the clock before. Requires: run != 0. */
bool recorder_begin(
	struct recorder *recorder, uint64_t run, uint32_t thread, uint64_t began_ns, const struct stmlog_event *first);

/* Records an event. Its members `thread` and `place` need not be set. */
void recorder_put(
	struct recorder *recorder, const struct stmlog_event *event, struct tb_frame *traceback, const char *word);

/* The same for an event that has only a time and a place. */
void recorder_put_bare(
	struct recorder *recorder, enum stmlog_event_kind kind, uint64_t time_ns, struct tb_frame *traceback);

/* Sets the function that receives each event of any recorder; NULL: none. Called while no thread records events. */
void recorder_listen(stmlog_timeline_listener listener, void *arg);

/* The event of a track's record: the bytes are the same. */
struct stmlog_event recorder_event(const struct track_record *record);

/* The event that stands for a gap. Its thread is not set. */
struct stmlog_event recorder_missing(const struct track_gap *gap);

#endif

/* SPDX-License-Identifier: MIT
 *
 * What a thread needs to leave events in timelines: a track for them, and numbers for places. It is made when a
 * timeline is started or a thread attaches, under the registry's lock, and stays until the session is closed. When its
 * thread has ended and all its events have been taken, a later thread with the same stack gets it; where there are a
 * great many, sooner than that: then a gap may be of several threads, and says one of them.
 *
 * What began before the run is not in it: an event that closes something, or is within something, that was not opened
 * in the run leaves nothing.
 */
#ifndef STMLOG_RECORDER_H
#define STMLOG_RECORDER_H

#include <stmlog/timeline.h>

#include "places.h"
#include "track.h"

struct recorder {
	struct track track;
	struct places places;
	struct tb_stack *stack; /* the record's, that places refer into */

	/* The owner's: of the present run. */
	bool is_busy;          /* an event that comes now interrupts another one */
	uint64_t interrupting; /* such events, which leave nothing but this count */
	uint64_t run;          /* that the owner has begun; 0: none yet */
	volatile AO_t thread;  /* whose events come; 0: nobody's yet. A reader that finds no event asks for it, too */
	uint32_t open;         /* in the run: a bit for each enum stmlog_span */
	uint64_t regions;

	/* Under the registry's lock; the positions are the reader's. */
	bool is_owned;                  /* by a thread that is attached */
	struct track_position position; /* what has been taken */
	struct track_position read;     /* what has been read, to be taken if all goes well */
	struct recorder *next;
};

/* NULL without memory. */
struct recorder *recorder_create(size_t events, bool is_ring, struct tb_stack *stack);
void recorder_destroy(struct recorder **recorder);

/* Another thread will own it; under the registry's lock. */
static inline void recorder_hand_on(struct recorder *recorder)
{
	recorder->is_owned = true;
	recorder->run = 0;
}

/* ---- the owner's; it leaves events once it has begun the run ---- */

static inline bool recorder_has_begun(const struct recorder *recorder, uint64_t run)
{
	return recorder->run == run;
}

/* Begins run `run`, not 0, which itself began at `began_ns`, with the attach of the thread of that number, unless that
 * is the `first` event. False if that one is not of the run: its hook has read the clock before. */
bool recorder_begin(
	struct recorder *recorder, uint64_t run, uint32_t thread, uint64_t began_ns, const struct stmlog_event *first);

/* Leaves an event, of which thread and place need not be set. */
void recorder_put(
	struct recorder *recorder, const struct stmlog_event *event, struct tb_frame *traceback, const char *word);

/* One with nothing but a time and a place. */
void recorder_put_bare(
	struct recorder *recorder, enum stmlog_event_kind kind, uint64_t time_ns, struct tb_frame *traceback);

/* A track's record is an event as it is. */
struct stmlog_event recorder_event(const struct track_record *record);

/* The event that stands for a gap. Its thread is not set. */
struct stmlog_event recorder_missing(const struct track_gap *gap);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Timelines inside the library: one word says whether one runs, and which.
 */
#ifndef STMLOG_TIMELINE_INTERNAL_H
#define STMLOG_TIMELINE_INTERNAL_H

#include <stmlog/timeline.h>

#include "recorder.h"
#include "thread.h"

_Static_assert(sizeof stmlog_timeline_run == sizeof(AO_t), "stored with libatomic_ops, read without");

/* As the public header's hooks find out. */
static inline bool timeline_is_on(void)
{
	return STMLOG_UNLIKELY(AO_load(&stmlog_timeline_run) & 1);
}

/* ---- hooks; the thread's own ---- */

/* Leaves an event, in which thread and place need not be set, at a place. Requires timeline_is_on() a moment ago. */
void timeline_put(
	struct stmlog_thread *thread, const struct stmlog_event *event, struct tb_frame *traceback, const char *word);

/* One with nothing but a time and a place: most are. */
void timeline_put_bare(
	struct stmlog_thread *thread, enum stmlog_event_kind kind, uint64_t time_ns, struct tb_frame *traceback);

/* The memory of the next events; where nothing is timed. */
void timeline_make_room(struct stmlog_thread *thread);

/* ---- the registry's, under its lock ---- */

void timeline_attached(struct stmlog_thread *thread);
void timeline_detached(struct stmlog_thread *thread);
void timeline_fork_child(struct stmlog_thread *self);

/* Gives everything back, before the stacks of the threads go. */
void timeline_close(void);

/* For each recorder, in the order in which they were made. */
struct recorder *timeline_recorders(void);

/* The number of the run that is under way or was stopped last, and when it began. Before the first one, the number of
 * none. */
uint64_t timeline_run_number(void);
uint64_t timeline_began_ns(void);

/* Whether the run's first events have been taken; and that they have. */
bool timeline_is_continued(void);
void timeline_continue(void);

/* Events of threads that had no recorder, since it was asked last. */
uint64_t timeline_unrecorded(void);

/* ---- outputs ---- */

/* Whether there is one, running or stopped. */
bool timeline_has_begun(void);

/* As stmlog_timeline_take(), but leaves everything to be taken. NULL without memory. Without the registry's lock. */
struct stmlog_timeline *timeline_look(void);

/* ---- life ---- */

void timeline_read_options(void);

#endif

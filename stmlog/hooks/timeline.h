/* SPDX-License-Identifier: MIT
 *
 * Timelines inside the library: the word that says whether a timeline runs, the recorders of all threads, and the
 * functions by which hooks record events.
 */
#ifndef STMLOG_TIMELINE_INTERNAL_H
#define STMLOG_TIMELINE_INTERNAL_H

#include <stmlog/timeline.h>

#include "recorder.h"
#include "thread.h"

_Static_assert(sizeof stmlog_timeline_run == sizeof(AO_t), "stored with libatomic_ops, read without");

/* As stmlog_timeline_is_running(). */
static inline bool timeline_is_on(void)
{
	return STMLOG_UNLIKELY(AO_load(&stmlog_timeline_run) & 1);
}

/* ---- in hooks, by the thread itself ---- */

/* Records an event at a place. Its members `thread` and `place` need not be set. Called after timeline_is_on(); the
 * timeline may have been stopped since. */
void timeline_put(
	struct stmlog_thread *thread, const struct stmlog_event *event, struct tb_frame *traceback, const char *word);

/* The same for an event that has only a time and a place, as most have. */
void timeline_put_bare(
	struct stmlog_thread *thread, enum stmlog_event_kind kind, uint64_t time_ns, struct tb_frame *traceback);

/* Touches the memory of the next events. Called where no transaction is under way. */
void timeline_make_room(struct stmlog_thread *thread);

/* ---- under the registry's lock ---- */

void timeline_attached(struct stmlog_thread *thread);
void timeline_detached(struct stmlog_thread *thread);
void timeline_fork_child(struct stmlog_thread *self);

/* Destroys all recorders. Comes before the stacks of their threads are destroyed, into which it releases frames. */
void timeline_close(void);

/* The first of all recorders, linked by `next`. */
struct recorder *timeline_recorders(void);

/* The number of the run that is under way or was stopped last, and the time when it began. Before the first run, the
 * number is one that no run has. */
uint64_t timeline_run_number(void);
uint64_t timeline_began_ns(void);

/* Whether stmlog_timeline_take() has returned events of the present run already. timeline_continue() notes that it
 * has. */
bool timeline_is_continued(void);
void timeline_continue(void);

/* How much memory the events of all threads take. */
size_t timeline_bytes(void);

/* How many events of the run were not recorded, because their threads had no recorder, or their spans no memory. */
uint64_t timeline_unrecorded(void);

/* How many attempts were not measured during the run, and so have no events. */
uint64_t timeline_unmeasured(void);

/* ---- outputs ---- */

/* Whether there is a timeline, running or stopped. */
bool timeline_has_begun(void);

/* As stmlog_timeline_take(), but all events can still be taken afterwards. Takes the registry's lock. NULL without
 * memory. */
struct stmlog_timeline *timeline_look(void);

/* ---- opening ---- */

/* Begins a run if the option `timeline` asks for it. Called by stmlog_open(), before any thread can attach. */
void timeline_read_options(void);

#endif

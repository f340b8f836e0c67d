/* SPDX-License-Identifier: MIT
 * Records losses as events of a timeline. Called by the thread's own hooks, while timeline_is_on(). */
#ifndef STMLOG_LOSS_EVENTS_H
#define STMLOG_LOSS_EVENTS_H

#include "timeline.h"

/* The attempt under way has aborted. If it found the conflict itself, a contention event comes first. */
void loss_event_abort(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t at_ns);

/* The runtime makes the other transaction of the conflict abort. Reads the clock. */
void loss_event_abort_other(struct stmlog_thread *thread, const struct stmlog_loss *loss);

/* The attempt under way has become inevitable. Reads the clock. */
void loss_event_inevitable(struct stmlog_thread *thread);

void loss_event_wait_begin(
	struct stmlog_thread *thread, const struct stmlog_loss *loss, enum stmlog_wait_for target, uint64_t at_ns);
void loss_event_wait_end(struct stmlog_thread *thread, uint64_t at_ns);

/* Returns what a wait with this cause waits for. */
enum stmlog_wait_for loss_event_wait_for(const struct stmlog_cause *cause);

#endif

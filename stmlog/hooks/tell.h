/* SPDX-License-Identifier: MIT
 * What the hooks know, as events of a timeline. Called while timeline_is_on(), by the thread's own hooks. */
#ifndef STMLOG_TELL_H
#define STMLOG_TELL_H

#include "timeline.h"

/* The attempt under way fails: with the contention that it has found, if it has found one itself. */
void tell_abort(struct stmlog_thread *thread, const struct stmlog_loss *loss, uint64_t at_ns);

/* The other one that was met is to abort. Reads the clock. */
void tell_abort_other(struct stmlog_thread *thread, const struct stmlog_loss *loss);

/* Reads the clock. */
void tell_inevitable(struct stmlog_thread *thread);

void tell_wait_begin(
	struct stmlog_thread *thread, const struct stmlog_loss *loss, enum stmlog_wait_for what, uint64_t at_ns);
void tell_wait_end(struct stmlog_thread *thread, uint64_t at_ns);

/* What a wait of this cause is for. */
enum stmlog_wait_for tell_wait_for(const struct stmlog_cause *cause);

#endif

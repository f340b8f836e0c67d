/* SPDX-License-Identifier: MIT
 * Steps that the hooks of attempts (attempts.c), of commit (commit.c) and of other entries (other_entries.c) have in
 * common. */
#ifndef ITM_STEPS_H
#define ITM_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent.h"
#include "alone.h"
#include "blame.h"
#include "bursts.h"
#include "counts.h"
#include "ring.h"
#include "sample.h"
#include "stamp.h"
#include "stopwatch.h"
#include "thread.h"

/* Notes the entry that is called: its kind, and where its return address lies. */
static inline void itm_hook_note_entry(struct itm_thread *self, uint16_t kind, uintptr_t *slot)
{
	self->kind = kind;
	self->slot = slot;
	self->hook_return = *slot;
}

/* As itm_blame_see_words(), where the table is mostly the same as before. */
static inline void itm_hook_see_words(struct itm_thread *self, const volatile AO_t *table)
{
	if (self->word_table != table)
		itm_blame_see_words(self, table);
}

/* The transaction, or an attempt of it, is over: if it has written, appends an end to the ring. The writes before that
 * conflict with no other transaction any more. */
static inline void itm_hook_append_end(struct itm_thread *self)
{
	if (itm_ring_has_writes(self->ring))
		itm_ring_append_end(self->ring, itm_stamp());
}

/* The transaction under way begins its next attempt, whose begin has just returned (attempts.c). Requires that the
 * transaction is measured closely. */
void itm_hook_begin_next_attempt(struct itm_thread *self);

/* The attempts from here on stand for no other transaction's. But their causes stand for those of similar attempts of
 * other transactions, which are only timed: of such attempts all in bursts are measured closely, and otherwise those of
 * one transaction in `every`. */
static inline void itm_hook_set_loss_weight(struct itm_thread *self)
{
	uint32_t every = self->sampling.every * self->sampling.close_in;
	if (itm_bursts_are_used() && every > 1)
		stmlog_set_loss_weight(self->thread, every < ITM_BURST_WEIGHT ? every : ITM_BURST_WEIGHT);
}

/* For begin.S: the real begin of a measured transaction has returned (attempts.c). */
void itm_begin_returned(uint32_t result);

/* A measured transaction is over: restarts of the thread count again (counts.h). */
static inline void itm_hook_after_measured_end(struct itm_thread *self)
{
	self->depth = 0;
	self->flags = 0;
	itm_bursts_leave(self->ring);
	if (itm_agent.options.sample != 1)
		itm_counts_resume(&self->ring->counts, itm_restarts());
}

/* ---- the fast path into transactions, with sample=1 (attempts.c) ---- */

/* Whether the next transactions of the calling thread may begin on the fast path. To be called when a transaction has
 * begun on the slow path, and libitm's begin has returned. */
bool itm_exact_is_possible(const struct itm_thread *self);

/* For begin.S, if self->is_exact is set: begins a transaction on the fast path. Returns false, and has changed nothing,
 * if it must begin on the slow path. */
bool itm_exact_begin(uintptr_t *slot, uint32_t properties);

#endif

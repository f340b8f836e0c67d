/* SPDX-License-Identifier: MIT
 *
 * Time that a measured transaction stands still inside libitm, which says nothing of it: at the serial lock
 * when it begins or begins anew, when it becomes irrevocable, and at the end of commit until all others have
 * seen what it has written. It is inferred from how long the entry took, by the processor's time stamp.
 * What is no longer than the transaction's own work in there can be is taken for that. NOTES.txt, "Standing
 * still inside libitm", has the figures.
 *
 * The end of commit's wait is where libitm calls commit actions: behind it comes the program's own work, such as
 * free().
 *
 * Invariants: `entered` is the stamp of when an entry was called that may wait, and 0 once it is known how
 * long it took; `inside` is how long this transaction's commit took, 0 before that is known.
 */
#ifndef ITM_WAIT_H
#define ITM_WAIT_H

#include <x86intrin.h>

#include "agent.h"
#include "cause.h"
#include "entries.h"
#include "holder.h"
#include "stamp.h"
#include "thread.h"

/* Ticks. The entries' own work takes about ITM_WAIT_OWN, and more than ITM_WAIT_LEAST only where it has a lot to
 * look at. Begin often finds its code and data gone from the caches; a thread's first makes what libitm will need. */
#define ITM_WAIT_OWN 256
#define ITM_WAIT_LEAST 1024
#define ITM_WAIT_LEAST_BEGIN 4096
#define ITM_WAIT_LEAST_FIRST 2000000

/* What so many ticks of the processor's time stamp are, where that runs at one speed. */
uint64_t itm_wait_ns(uint64_t ticks);

/* Finds out whether waits can be inferred here. */
bool itm_wait_prepare(void);

/* Tells the library of a wait that is over, if those ticks were one. */
void itm_wait_tell(enum itm_wait wait, uint64_t ticks);

/* libitm's commit action. */
void itm_wait_is_over(void *unused);

/* Where nobody else has transacted yet there is nobody to wait for. */
static inline bool itm_wait_is_possible(void)
{
	const struct itm_ring *ring = itm_ring_first();
	return itm_agent.has_steady_tsc && ring != NULL && itm_ring_next(ring) != NULL;
}

static inline void itm_wait_from(struct itm_thread *self, bool may_wait)
{
	self->entered = may_wait ? __rdtsc() : 0;
}

/* How long the entry took, 0 if that was not watched. */
static inline uint64_t itm_wait_ticks(struct itm_thread *self)
{
	uint64_t entered = self->entered;
	self->entered = 0;
	return entered != 0 ? __rdtsc() - entered : 0;
}

/* It has returned. */
static inline void itm_wait_until(struct itm_thread *self, enum itm_wait wait)
{
	uint64_t ticks = itm_wait_ticks(self);
	if (STMLOG_UNLIKELY(ticks > ITM_WAIT_LEAST))
		itm_wait_tell(wait, ticks);
}

/* ---- begin ---- */

/* Begin asks for the serial lock, to share it; or alone, for a transaction that is to be irrevocable and for a thread's
 * first one. Under gl_wt it then waits for the global lock. */
static inline void itm_wait_from_begin(struct itm_thread *self, uint32_t properties)
{
	bool is_known = itm_locks.serial != NULL, is_first = itm_transaction() == NULL;
	bool is_serial = is_first || (properties & ITM_GOES_IRREVOCABLE) || (is_known && *itm_locks.serial != 0);
	self->failures = 0;
	self->inside = 0;
	if (itm_wait_is_possible())
		self->flags |= ITM_TIMED | (is_first ? ITM_FIRST : 0) | (is_serial ? ITM_SERIAL : 0);
	bool may_wait = is_serial || !is_known || itm_agent.method != ITM_METHOD_LOCKS;
	if (may_wait)
		self->begin_holder = itm_holder_find(&self->begin_holder_site);
	itm_wait_from(self, may_wait && (self->flags & ITM_TIMED));
}

static inline void itm_wait_after_begin(struct itm_thread *self)
{
	uint64_t ticks = itm_wait_ticks(self);
	if (STMLOG_UNLIKELY(ticks > (self->flags & ITM_FIRST ? ITM_WAIT_LEAST_FIRST : ITM_WAIT_LEAST_BEGIN)))
		itm_wait_tell(ITM_WAIT_BEGIN, ticks);
}

/* ---- the next attempt ---- */

/* One more, and libitm takes the serial lock. */
#define ITM_FAILURES 100

/* libitm has rolled back. Before it begins anew it may take the serial lock alone: because the attempt failed to
 * become irrevocable or to undo an inner transaction, or has failed too often. */
static inline bool itm_wait_may_restart(struct itm_thread *self)
{
	bool is_serial = ++self->failures > ITM_FAILURES || self->kind >= ITM_KIND_MODE;
	self->flags = is_serial ? self->flags | ITM_SERIAL : self->flags & ~(uint32_t)ITM_SERIAL;
	return (is_serial || itm_agent.method != ITM_METHOD_LOCKS) && (self->flags & ITM_TIMED);
}

/* ---- within ---- */

static inline void itm_wait_from_entry(struct itm_thread *self)
{
	itm_wait_from(self, self->flags & ITM_TIMED);
}

/* Has libitm call us when the attempt's commit has done its waiting. */
static inline void itm_wait_arm(struct itm_thread *self)
{
	if (self->flags & ITM_TIMED)
		itm_real_add_commit(itm_wait_is_over, ITM_NO_TRANSACTION, NULL);
}

static inline void itm_wait_after_commit(struct itm_thread *self)
{
	if (STMLOG_UNLIKELY(self->inside > ITM_WAIT_LEAST))
		itm_wait_tell(ITM_WAIT_COMMIT, self->inside);
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * The fast path into transactions where all are measured closely (sample=1). Nearly all of them commit at the first
 * attempt, wait for no lock in begin, and are in no timeline, so only the clock is read. For these the fast path does
 * what the slow path does (attempts.c, commit.c), but nothing that only other transactions need. Any transaction may
 * take the slow path.
 */
#include "hooks.h"

#include <stmlog/timeline.h>

#include "agent.h"
#include "blame.h"
#include "bursts.h"
#include "entries.h"
#include "wait.h"

/* The begin of ml_wt waits for the serial lock and for nothing else, and begin.S sees whether that lock is taken. */
static bool is_simple(void)
{
	return itm_agent.options.sample == 1 && itm_agent.method == ITM_METHOD_LOCKS && itm_locks.serial != NULL;
}

/* Whether the thread is the only one that transacts while the burst is still open. Transactions that begin on the slow
 * path end the burst when the thread has been alone for some time (itm_bursts_look()). */
static bool has_needless_hooks(void)
{
	return AO_load(&itm_bursts.use) == ITM_BURSTS_ONE && AO_load(&itm_bursts.is_open) != 0 &&
	       !itm_rings_are_several();
}

bool itm_exact_is_possible(const struct itm_thread *self)
{
	return is_simple() && self->thread != NULL && self->ring != &itm_ring_dummy && !stmlog_wants_places() &&
	       !has_needless_hooks();
}

static inline bool may_begin(const struct itm_thread *self, uint32_t properties)
{
	return self->flags == 0 && !(properties & ITM_GOES_IRREVOCABLE) &&
	       itm_transaction() == self->published_struct && !stmlog_timeline_is_running() && itm_bursts_are_settled();
}

/* Sets the words for waits as the slow path does for a transaction that does not wait in begin. Returns the flags to
 * set. */
static inline uint32_t expect_waits(struct itm_thread *self)
{
	if (STMLOG_UNLIKELY(self->failures != 0 || (self->commit_ticks | self->entered) != 0)) {
		self->failures = 0;
		self->commit_ticks = 0;
		self->entered = 0;
	}
	if (!itm_wait_is_possible())
		return 0;
	if (self->waiting != NULL)
		self->waiting->is_exclusive = false;
	return ITM_TIMED;
}

/* begin.S decrements the countdown, and calls itm_exact_begin() while it is negative. The countdown is set back to 0
 * only at this limit, since each store before libitm's begin delays the full fence in it. */
#define COUNTDOWN_MIN (-1000000)

bool itm_exact_begin(uintptr_t *slot, uint32_t properties)
{
	struct itm_thread *self = &itm_self;
	if (STMLOG_UNLIKELY(!may_begin(self, properties)))
		return false;
	uint32_t bare = AO_load(&itm_bursts.is_open) ? 0 : ITM_BARE;
	if (STMLOG_UNLIKELY(self->countdown < COUNTDOWN_MIN))
		self->countdown = 0;
	self->depth = 1;
	self->flags = ITM_MEASURED | ITM_FAST_PATH | bare | expect_waits(self);
	self->site_slot = slot;
	self->site = *slot;
	AO_store(&self->ring->site, *slot);
	if (!bare)
		itm_blame_begin();
	self->lock_table = NULL; /* the previous transaction's table may be freed by now */
	itm_hook_see_words(self, NULL);
	self->started_ns = stmlog_now_ns();
	itm_ring_note_begin(self->ring, self->site, self->started_ns);
	stmlog_start_at(self->thread, self->started_ns, tb_address_site((const void *)self->site), TB_UNKNOWN);
	return true;
}

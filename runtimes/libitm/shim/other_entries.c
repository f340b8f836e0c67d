/* SPDX-License-Identifier: MIT
 *
 * Hooks of libitm's entries besides begin, commit and the data barriers: cancel; the two that make a transaction
 * inevitable, or irrevocable, as libitm says; and those that defer work to the end of the commit.
 */
#include "steps.h"

#include "alone.h"
#include "cache.h"
#include "entries.h"
#include "preemption.h"
#include "stacks.h"
#include "wait.h"

STMLOG_API void _ITM_abortTransaction(uint32_t reason);
STMLOG_API void _ITM_changeTransactionMode(uint32_t mode);
STMLOG_API void *_ITM_getTMCloneOrIrrevocable(void *function);
STMLOG_API void _ITM_addUserCommitAction(void (*action)(void *), uint64_t transaction, void *argument);

/* ---- cancel ---- */

/* libitm's entry does not return here. The outermost begin returns again instead; or, if an inner transaction is
 * cancelled and libitm's method can undo it alone, the inner begin, which returns directly to the user. */
void _ITM_abortTransaction(uint32_t reason)
{
	struct itm_thread *self = &itm_self;
	itm_hook_note_entry(self, ITM_KIND_ABORT, NATIVE_RETURN_SLOT());
	if (self->depth > 1 && !(reason & ITM_OUTER_ABORT)) {
		self->depth--;
	} else if (reason & ITM_USER_ABORT) {
		itm_alone_record_at_end(self);
		if (self->flags & ITM_MEASURED) {
			itm_ring_note_measured_cancel(self->ring, itm_time_stamp());
			itm_callers_hide(self);
		}
		itm_ring_note_end(self->ring);
		self->flags |= ITM_CANCELLING;
		itm_hook_append_end(self);
		if (!(self->flags & ITM_MEASURED)) {
			if (itm_was_preempted(self) && !(self->flags & ITM_STOPWATCH))
				itm_preemption_report_unmeasured(self, ITM_PREEMPTED_BEFORE_CANCEL);
			itm_counts_add(&self->ring->counts.cancels);
			self->depth = 0;
		}
	}
	itm_real_abort(reason);
}

/* ---- becoming inevitable ---- */

/* Discards the interruptions recorded so far: all of them happened during the wait, which ends afterwards. */
static void after_measured_upgrade(struct itm_thread *self)
{
	itm_preemption_discard_if_any(self);
	itm_wait_timer_stop_and_report(self, ITM_WAIT_UPGRADE);
	itm_preemption_report_if_any(self);
}

/* An interrupted wait is reported on its own, with weight 1. It is no part of the time of a timed transaction, which
 * stands for others. */
static void after_upgrade(struct itm_thread *self)
{
	itm_alone_publish_wait(self->ring, 0);
	if (self->flags & ITM_MEASURED) {
		after_measured_upgrade(self);
		return;
	}
	itm_wait_timer_stop_and_report(self, ITM_WAIT_UPGRADE);
	if (!itm_was_preempted(self))
		return;
	itm_preemption_report_unmeasured(self, ITM_PREEMPTED_UPGRADING);
	if (self->flags & ITM_STOPWATCH) {
		self->watch.off[ITM_WORKING] += self->watch.upgrading;
		self->watch.upgrading = 0;
	}
}

/* After libitm's entry the transaction runs alone. The entry may wait for other transactions that are under way. */
static void before_upgrade(struct itm_thread *self, enum itm_way way)
{
	itm_alone_request(self->ring, self->hook_return, way);
	if (self->thread != NULL && itm_rings_are_several())
		itm_alone_publish_wait(self->ring, stmlog_now_ns());
	itm_wait_timer_start_in_transaction(self);
}

void _ITM_changeTransactionMode(uint32_t mode)
{
	struct itm_thread *self = &itm_self;
	itm_hook_note_entry(self, ITM_KIND_MODE, NATIVE_RETURN_SLOT());
	before_upgrade(self, ITM_WAY_ASKED);
	itm_real_change_mode(mode);
	after_upgrade(self);
	self->flags |= ITM_UPGRADED;
}

/* Called for a call through a pointer. If the function has no transactional clone, the transaction becomes inevitable,
 * and libitm returns the function itself. */
void *_ITM_getTMCloneOrIrrevocable(void *function)
{
	struct itm_thread *self = &itm_self;
	itm_hook_note_entry(self, ITM_KIND_MODE, NATIVE_RETURN_SLOT());
	before_upgrade(self, ITM_WAY_CALLED);
	void *clone = itm_real_clone_or_irrevocable(function);
	after_upgrade(self);
	return clone;
}

/* ---- deferred work ---- */

/* libitm does it at the end of a commit, after the commit's wait: the program's own commit actions, and freeing memory.
 * Such a transaction gets a commit action of the agent, before that work: it reads the time when the wait is over. In
 * others the wait is over when libitm's commit returns (wait.h). */

/* libitm executes actions in the order in which they were added. */
void _ITM_addUserCommitAction(void (*action)(void *), uint64_t transaction, void *argument)
{
	itm_wait_add_commit_action(&itm_self);
	itm_real_add_commit(action, transaction, argument);
}

/* libitm frees after all actions, so that the hook of commit can add the agent's (itm_wait_timer_start_commit()). The
 * functions have up to three arguments, each in a register of its own. */
#define HOOK(name)                                                   \
	STMLOG_API void name(uintptr_t a, uintptr_t b, uintptr_t c); \
	void name(uintptr_t a, uintptr_t b, uintptr_t c)             \
	{                                                            \
		itm_self.flags |= ITM_HAS_FREED;                     \
		itm_real_free[ITM_FREE##name](a, b, c);              \
	}
ITM_FREES(HOOK)

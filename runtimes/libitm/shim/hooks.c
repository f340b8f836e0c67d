/* SPDX-License-Identifier: MIT
 *
 * What happens beside libitm's own work when a transaction begins, restarts, is
 * cancelled or commits. While an attempt holds locks it is only watched (barriers.S, wait.h). One
 * that fails ends for the library in the undo action, when libitm has released its locks; there it
 * is looked at where it stands, and the rest is found out and told when begin returns again.
 */
#include <errno.h>
#include <string.h>

#include "agent.h"
#include "blame.h"
#include "call_stack.h"
#include "callers.h"
#include "cause.h"
#include "entries.h"
#include "explore.h"
#include "hardware.h"
#include "hardware_code.h"
#include "life.h"
#include "return_slot.h"
#include "sample.h"
#include "stamp.h"
#include "thread.h"
#include "trace.h"
#include "wait.h"

/* For begin.S. */
bool itm_begin(uintptr_t *slot, uint32_t properties);
void itm_begin_returned(uint32_t result);
void itm_arm(void);

STMLOG_API void _ITM_commitTransaction(void);
STMLOG_API void _ITM_commitTransactionEH(void *exception);
STMLOG_API void _ITM_abortTransaction(uint32_t reason);
STMLOG_API void _ITM_changeTransactionMode(uint32_t mode);
STMLOG_API void *_ITM_getTMCloneOrIrrevocable(void *function);

static inline void note(struct itm_thread *self, uint16_t kind, uintptr_t *slot)
{
	self->kind = kind;
	self->slot = slot;
	self->hook_return = *slot;
}

/* ---- begin ---- */

/* Of its attempts: the stack is walked only for timelines and paths. */
static inline struct tb_frame *place_of(uintptr_t *slot)
{
	return STMLOG_UNLIKELY(stmlog_wants_places()) ? itm_trace_from(slot) : TB_UNKNOWN;
}

/* Not measured; the next one is, in its place. */
static bool begin_alone(struct itm_thread *self, const uintptr_t *slot)
{
	self->countdown = 0;
	self->depth = 1;
	self->flags = ITM_EXPLORED;
	AO_store(&self->ring->site, *slot);
	return true;
}

static bool begin(uintptr_t *slot)
{
	struct itm_thread *self = &itm_self;
	if (STMLOG_UNLIKELY(self->thread == NULL) && !itm_attach())
		return false;
	if (STMLOG_UNLIKELY(!AO_load(&itm_agent.has_seen)))
		AO_store(&itm_agent.has_seen, 1);
	self->site_slot = slot;
	struct tb_frame *place = place_of(slot); /* takes its time before the transaction's begins */
	if (itm_explore_is_due(self))
		return begin_alone(self, slot);
	uint64_t now_ns = itm_choose();
	if (now_ns == 0)
		return false;
	self->site = *slot;
	self->depth = 1;
	self->flags = ITM_MEASURED;
	AO_store(&self->ring->site, *slot);
	self->started_ns = now_ns;
	self->tries.len = 0;
	stmlog_start_at(self->thread, now_ns, tb_address_site((const void *)self->site), place);
	itm_blame_begin();
	return true;
}

/* As begin.S does for those that it lets pass; but restarts come by us. */
static bool begin_unmeasured(struct itm_thread *self, const uintptr_t *slot)
{
	if (self->calls == NULL)
		return false;
	self->depth = 1;
	self->flags = 0;
	AO_store(&self->ring->site, *slot);
	return true;
}

/* Where each transaction has callers the countdown is kept here, and begin.S always finds that it has run out. */
static bool begin_with_callers(uintptr_t *slot, const struct itm_frame_pair *frame)
{
	struct itm_thread *self = &itm_self;
	bool is_attached = self->thread != NULL || (self->to_pass == 0 && itm_attach()), is_measured = false;
	itm_callers_note(slot, frame);
	if (self->to_pass > 0) {
		self->to_pass--;
	} else {
		is_measured = is_attached && begin(slot);
		self->to_pass = self->countdown;
	}
	self->countdown = 0;
	return is_measured || begin_unmeasured(self, slot);
}

/* Called before the first attempt, where begin.S's countdown has run out. */
bool itm_begin(uintptr_t *slot, uint32_t properties)
{
	/* What this function has saved there is the user's rbp. */
	const struct itm_frame_pair *own = __builtin_frame_address(0);
	bool is_ours = STMLOG_LIKELY(itm_agent.options.stacks == ITM_STACKS_SITE)
			       ? begin(slot)
			       : begin_with_callers(slot, (const struct itm_frame_pair *)own->next);
	if (itm_self.flags & ITM_MEASURED)
		itm_wait_from_begin(&itm_self, properties);
	return is_ours;
}

/* What it has written is not in anybody's way any more. */
static inline void end_writes(struct itm_thread *self)
{
	if (itm_ring_has_writes(self->ring))
		itm_ring_end(self->ring, itm_stamp());
}

static inline void trace(struct itm_thread *self, uintptr_t *slot)
{
	itm_pace_abort_begin(&self->sampling.pace, true);
	itm_trace(slot);
	itm_pace_abort_end(&self->sampling.pace, true);
}

/* libitm's undo action: the attempt is rolled back, its stack is still there. */
static void undo(void *unused)
{
	(void)unused;
	struct itm_thread *self = &itm_self;
	self->flags &= ~(uint32_t)ITM_ARMED;
	end_writes(self);
	if (self->flags & ITM_MEASURED) {
		bool may_wait = itm_wait_may_restart(self);
		if (!may_wait) /* else the wait comes before the attempt's end */
			stmlog_failed(self->thread);
		itm_blame_look();
		trace(self, NATIVE_RETURN_SLOT());
		itm_wait_from(self, may_wait);
	} else if (!(self->flags & ITM_CANCELLING)) {
		self->depth = 1;
	}
}

/* A transaction in hardware has no undo actions: libitm would keep them for the thread's next one in software. */
static inline bool is_in_hardware(const struct itm_thread *self)
{
	return itm_hardware_is_watched() && !(self->flags & ITM_IN_SOFTWARE);
}

/* Restarts and cancels of the outermost transaction will call undo(), once. */
void itm_arm(void)
{
	itm_self.flags |= ITM_ARMED;
	if (is_in_hardware(&itm_self))
		return;
	itm_real_add_undo(undo, NULL);
	itm_wait_arm(&itm_self);
}

static void keep_counters(struct itm_thread *self)
{
	if (itm_agent.has_counters)
		memcpy(self->restarts, itm_counters(), sizeof self->restarts);
}

static enum itm_reason reason_moved(const struct itm_thread *self)
{
	return itm_agent.has_counters ? itm_reason_moved(self->restarts, itm_counters()) : ITM_REASONS;
}

/* Fills in where and because of whom, and tells the library; the traceback was taken by undo(). */
static void tell_abort(struct itm_thread *self, struct stmlog_cause cause, enum itm_reason reason)
{
	struct stmlog_loss loss = stmlog_loss_make(cause.reason, cause.contention, cause.detail);
	if (self->trace != NULL)
		loss.local = self->trace;
	self->trace = NULL;
	if (STMLOG_UNLIKELY(tb_is_unknown(loss.local)))
		stmlog_count_unavailable_traceback(self->thread);
	itm_blame(reason, &loss);
	stmlog_abort(self->thread, &loss);
}

static void restarted(struct itm_thread *self)
{
	itm_wait_until(self, ITM_WAIT_RESTART);
	enum itm_reason reason = reason_moved(self);
	itm_pace_abort_begin(&self->sampling.pace, false);
	tell_abort(self, itm_cause_of_restart(self->trace_kind, reason, itm_agent.method), reason);
	itm_pace_abort_end(&self->sampling.pace, false);
	stmlog_retry_at(self->thread, place_of(self->site_slot));
	itm_blame_begin();
	self->lock_table = itm_locks_in_use(&itm_locks);
	keep_counters(self);
	self->depth = 1;
	itm_arm();
}

static void ended(struct itm_thread *self)
{
	self->depth = 0;
	self->flags = 0;
	if (itm_agent.options.sample != 1)
		self->restarts_mark = itm_restarts();
}

/* Of a transaction that is not measured: a cancel was seen by the abort hook already. */
static void unmeasured_returned(struct itm_thread *self, uint32_t result)
{
	if ((result & (ITM_RESTORES_LIVE | ITM_ABORTED)) == ITM_RESTORES_LIVE)
		self->depth = 1;
}

/* What is written here goes if the attempt does. It waits for nobody, and holds no locks that could be seen. */
static void begun_in_hardware(struct itm_thread *self)
{
	self->flags = (self->flags | ITM_ARMED) & ~(uint32_t)ITM_TIMED;
	self->entered = 0;
	self->lock_table = NULL;
}

/* Called after each return of the real begin, with the user's return address in its place. */
void itm_begin_returned(uint32_t result)
{
	struct itm_thread *self = &itm_self;
	if (STMLOG_UNLIKELY(self->calls != NULL) && (result & ITM_RESTORES_LIVE))
		self->context = (uint16_t)itm_calls_restart(self->calls);
	if (STMLOG_UNLIKELY(!(self->flags & ITM_MEASURED))) {
		unmeasured_returned(self, result);
		return;
	}
	if (is_in_hardware(self)) {
		begun_in_hardware(self);
	} else if (STMLOG_LIKELY(!(result & ITM_RESTORES_LIVE))) {
		itm_wait_after_begin(self);
		/* Irrevocable: libitm calls no undo action then, and keeps it for ever. */
		if (result & ITM_SAVES_LIVE)
			itm_arm();
		else
			self->flags |= ITM_ARMED;
		AO_store(&self->ring->holder, (AO_t)itm_transaction());
		self->lock_table = itm_locks_in_use(&itm_locks);
		keep_counters(self);
	} else if (result & ITM_ABORTED) {
		tell_abort(self, itm_cause_of_cancel(), ITM_REASON_INIT_METHOD_GROUP);
		ended(self);
	} else {
		restarted(self);
	}
	self->kind = ITM_KIND_NONE;
}

/* ---- the other entries ---- */

static inline void committed(struct itm_thread *self)
{
	bool is_explored = self->flags & ITM_EXPLORED;
	uint64_t writes_from = AO_load(&self->ring->ended);
	if (STMLOG_UNLIKELY(is_in_hardware(self)))
		itm_hardware_count_commit(self);
	end_writes(self);
	if (self->flags & ITM_MEASURED) {
		itm_wait_after_commit(self);
		if (STMLOG_UNLIKELY(self->tries.len != 0))
			itm_hardware_tell(self);
		else
			stmlog_commit(self->thread);
		ended(self);
	} else {
		self->commits++;
		self->depth = 0;
	}
	if (STMLOG_UNLIKELY(is_explored))
		itm_explore_keep(self, writes_from);
}

/* True for the outermost commit. The depth stays until it has succeeded: one that fails
 * starts the transaction over. */
static inline bool is_outermost(struct itm_thread *self)
{
	if (self->depth <= 1)
		return true;
	self->depth--;
	return false;
}

static inline void may_let_go(struct itm_thread *self)
{
	if (STMLOG_UNLIKELY(self->flags & ITM_HOLDS_SERIAL))
		itm_hardware_lets_go(self);
}

void _ITM_commitTransaction(void)
{
	struct itm_thread *self = &itm_self;
	if (!is_outermost(self)) {
		itm_real_commit();
		return;
	}
	note(self, ITM_KIND_COMMIT, NATIVE_RETURN_SLOT());
	may_let_go(self);
	itm_wait_from_entry(self);
	itm_real_commit();
	committed(self);
}

/* As commit, when an exception leaves the transaction. */
void _ITM_commitTransactionEH(void *exception)
{
	struct itm_thread *self = &itm_self;
	if (!is_outermost(self)) {
		itm_real_commit_eh(exception);
		return;
	}
	note(self, ITM_KIND_COMMIT, NATIVE_RETURN_SLOT());
	may_let_go(self);
	itm_wait_from_entry(self);
	itm_real_commit_eh(exception);
	committed(self);
}

/* Comes back by way of a begin: the outermost one's, or, when an inner transaction is
 * cancelled and its method can undo it alone, the inner one's, which is not ours. */
void _ITM_abortTransaction(uint32_t reason)
{
	struct itm_thread *self = &itm_self;
	note(self, ITM_KIND_ABORT, NATIVE_RETURN_SLOT());
	if (self->depth > 1 && !(reason & ITM_OUTER_ABORT)) {
		self->depth--;
	} else if (reason & ITM_USER_ABORT) {
		may_let_go(self);
		self->flags |= ITM_CANCELLING;
		end_writes(self);
		if (!(self->flags & ITM_MEASURED)) {
			self->cancels++;
			self->depth = 0;
		}
	}
	itm_real_abort(reason);
}

void _ITM_changeTransactionMode(uint32_t mode)
{
	struct itm_thread *self = &itm_self;
	note(self, ITM_KIND_MODE, NATIVE_RETURN_SLOT());
	itm_wait_from_entry(self);
	itm_real_change_mode(mode);
	itm_wait_until(self, ITM_WAIT_UPGRADE);
}

/* A call through a pointer to what has no transactional clone: becomes inevitable. */
void *_ITM_getTMCloneOrIrrevocable(void *function)
{
	struct itm_thread *self = &itm_self;
	note(self, ITM_KIND_MODE, NATIVE_RETURN_SLOT());
	itm_wait_from_entry(self);
	void *clone = itm_real_clone_or_irrevocable(function);
	itm_wait_until(self, ITM_WAIT_UPGRADE);
	return clone;
}

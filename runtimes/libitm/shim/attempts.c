/* SPDX-License-Identifier: MIT
 *
 * The beginning and the failure of attempts: the agent's work when begin is called, and when it returns: for the first
 * time, after a restart, or after a cancel.
 *
 * While an attempt holds locks, the agent only stores a few words about the last call of libitm (barriers.S, wait.h).
 * For the profiler, a failed attempt ends in libitm's undo action, after libitm has released the attempt's locks: there
 * the traceback is taken. The culprit is searched for, and the abort reported, when begin returns again.
 */
#include <string.h>

#include <stmlog/timeline.h>

#include "agent.h"
#include "blame.h"
#include "bursts.h"
#include "cache.h"
#include "cause.h"
#include "entries.h"
#include "life.h"
#include "preemption.h"
#include "requires.h"
#include "stacks.h"
#include "steps.h"
#include "wait.h"

/* For begin.S. */
void itm_begin_irrevocable(void);
bool itm_begin_sampled(uintptr_t *slot, uint32_t properties);
void itm_begin_inner(void);

/* ---- begin, on the slow path ---- */

/* The traceback of begin. It is needed only for timelines and paths. */
static inline struct tb_frame *place(void)
{
	return STMLOG_UNLIKELY(stmlog_wants_places()) ? itm_trace_begin() : TB_UNKNOWN;
}

/* begin.S calls this before a transaction that is irrevocable from the start. */
void itm_begin_irrevocable(void)
{
	itm_alone_request(itm_self.ring, 0, ITM_WAY_OTHER);
}

/* Inner begins need no undo action: after a restart begin.S sets the depth. */
static void begin_timed(struct itm_thread *self, const uintptr_t *slot)
{
	self->flags = ITM_STOPWATCH | ITM_ARMED;
	self->watch.upgrading = 0;
	self->watch.site = *slot;
	AO_store(&self->ring->site, *slot);
}

/* The first transaction of a forked child: its thread is attached already, but the library has no watcher of the
 * process yet. */
static void attach_in_child(void)
{
	AO_store(&itm_agent.has_seen, 1);
	stmlog_thread_open(NULL);
}

/* Attaching takes so long that another transaction may have taken the serial lock since begin.S looked at it. Where
 * threads begin all the time, each finds the lock taken, since libitm takes it to add a thread: so a thread's first
 * transaction is sampled by chance, as the others are. */
static bool __attribute__((noinline)) attach(struct itm_thread *self)
{
	if (!itm_attach())
		return false;
	if (!self->is_prepared)
		self->flags &= ~(uint32_t)ITM_FINDS_HELD;
	else if (*itm_serial_word != 0)
		self->flags |= ITM_FINDS_HELD;
	return true;
}

static bool begin_sampled(uintptr_t *slot)
{
	struct itm_thread *self = &itm_self;
	if (STMLOG_UNLIKELY(self->thread == NULL) && !attach(self))
		return false;
	if (STMLOG_UNLIKELY(!AO_load(&itm_agent.has_seen)))
		attach_in_child();
	if (STMLOG_UNLIKELY(AO_load(&itm_table_new) != 0))
		itm_table_look_at_new();
	self->site_slot = slot;
	/* Before the clock is read, since both take time. */
	uint32_t callers = self->contexts != NULL ? itm_trace_callers() : 0;
	struct tb_frame *begun = place();
	bool is_held = self->flags & ITM_FINDS_HELD;
	uint64_t now_ns = is_held ? itm_choose_held() : itm_choose();
	if (now_ns == 0)
		return false;
	if (is_held)
		itm_alone_publish_wait(self->ring, now_ns);
	self->site = *slot;
	self->depth = 1;
	if (self->sampling.is_timed) {
		begin_timed(self, slot);
		return true;
	}
	if (STMLOG_UNLIKELY(!self->is_prepared)) {
		itm_prepare();
		now_ns = stmlog_now_ns();
	}
	self->flags = itm_bursts_enter(self->ring) ? ITM_MEASURED : ITM_MEASURED | ITM_BARE;
	itm_callers_show(self, callers);
	AO_store(&self->ring->site, *slot);
	itm_ring_note_begin(self->ring, *slot, now_ns);
	self->started_ns = now_ns;
	stmlog_start_at(self->thread, now_ns, tb_address_site((const void *)self->site), begun);
	itm_blame_begin();
	return true;
}

/* Whether the begin under way may sleep until it has the serial lock. */
static bool may_sleep(const struct itm_thread *self)
{
	return self->entered != 0 && ((self->flags & ITM_SERIAL) || itm_locks.serial == NULL);
}

/* begin.S calls this before the first attempt, when its countdown has run out. */
bool itm_begin_sampled(uintptr_t *slot, uint32_t properties)
{
	bool is_ours = begin_sampled(slot);
	if (itm_self.flags & ITM_STOPWATCH)
		itm_preemption_discard_if_any(&itm_self); /* since begin.S looked: outside of the transaction */
	if (itm_self.flags & (ITM_MEASURED | ITM_STOPWATCH))
		itm_wait_timer_start_begin(&itm_self, properties);
	if (may_sleep(&itm_self))
		itm_self.watch.sleeps = itm_preemption_sleeps(&itm_self);
	return is_ours;
}

/* ---- begin, on the fast path ---- */

/* Where all transactions are measured closely (sample=1), nearly all of them commit at the first attempt, wait for no
 * lock in begin, and are in no timeline, so only the clock is read. For these the fast path does what the slow path
 * does (here and in commit.c), but nothing that only other transactions need. Any transaction may take the slow path.
 */

/* The begin of ml_wt waits for the serial lock and for nothing else, and begin.S sees whether that lock is taken. */
static bool is_simple_begin(void)
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
	return is_simple_begin() && self->thread != NULL && self->ring != &itm_ring_dummy && !stmlog_wants_places() &&
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

/* ---- an attempt fails ---- */

static inline void trace(struct itm_thread *self, uintptr_t *slot)
{
	itm_pace_abort_begin(&self->sampling.pace, true);
	itm_trace(slot);
	itm_pace_abort_end(&self->sampling.pace, true);
}

/* libitm calls this as an undo action: the attempt is rolled back, and its stack is still there. */
static void undo(void *unused)
{
	(void)unused;
	struct itm_thread *self = &itm_self;
	self->flags &= ~(uint32_t)ITM_ARMED;
	itm_hook_append_end(self);
	itm_ring_note_rollback(self->ring, itm_time_stamp());
	if (self->flags & ITM_MEASURED) {
		itm_blame_note_read(self);
		itm_preemption_report_if_any(self);
		bool may_wait = itm_wait_count_rollback(self);
		if (!may_wait) /* otherwise a wait is to be reported before the attempt ends */
			stmlog_failed(self->thread);
		itm_blame_look();
		trace(self, NATIVE_RETURN_SLOT());
		itm_wait_timer_start(self, may_wait);
	} else if (!(self->flags & ITM_CANCELLING)) {
		self->depth = 1;
	}
}

/* Has libitm call undo() once, when the outermost transaction restarts or is cancelled. */
static void add_undo_action(struct itm_thread *self)
{
	self->flags |= ITM_ARMED;
	itm_real_add_undo(undo, NULL);
}

/* begin.S calls this before the first inner transaction of one that is not measured. A hardware transaction must not
 * register undo actions: libitm would keep them for the thread's next transaction in software. Under htm no attempt
 * needs one, since the processor undoes those in hardware, and those in software never restart. */
void itm_begin_inner(void)
{
	if (itm_agent.method == ITM_METHOD_HARDWARE)
		itm_self.flags |= ITM_ARMED;
	else
		add_undo_action(&itm_self);
}

/* ---- begin returns ---- */

static void copy_counters(struct itm_thread *self)
{
	const uint32_t *counters = itm_agent.has_counters ? itm_counters() : NULL;
	if (counters != NULL)
		memcpy(self->restarts, counters, sizeof self->restarts);
}

static enum itm_reason risen_reason(const struct itm_thread *self)
{
	return itm_agent.has_counters ? itm_reason_moved(self->restarts, itm_counters()) : ITM_REASONS;
}

/* The library counts the time up to its return as the profiler's own work, and the search for the culprit takes long
 * enough to be interrupted. */
static void abort_attempt(struct itm_thread *self, const struct stmlog_loss *loss)
{
	itm_preemption_report_if_any(self);
	stmlog_abort(self->thread, loss);
}

/* Reports the abort to the library, with its place and its culprit. undo() has taken the traceback. */
static void report_abort(struct itm_thread *self, struct stmlog_cause cause, enum itm_reason reason)
{
	struct stmlog_loss loss = stmlog_loss_make(cause.reason, cause.contention, cause.detail);
	if (self->trace != NULL)
		loss.local = self->trace;
	self->trace = NULL;
	itm_blame(reason, &loss);
	if (loss.cause.contention == STMLOG_NONE && tb_is_unknown(loss.remote))
		loss.remote = TB_EMPTY; /* nobody */
	if (STMLOG_UNLIKELY(tb_is_unknown(loss.local)))
		stmlog_count_unavailable_traceback(self->thread);
	if (cause.contention == STMLOG_INEVITABLE)
		itm_wait_blame_failed_upgrade(self, &loss);
	abort_attempt(self, &loss);
}

/* Where the thread cannot have slept until it had the serial lock, an interruption was no wait. Otherwise discards the
 * interruptions recorded so far: all of them happened during the wait. Interruptions while the wait is being reported
 * are kept. */
static void report_restart_wait(struct itm_thread *self)
{
	if (may_sleep(self))
		itm_preemption_discard_wait(self);
	itm_wait_timer_stop_and_report(self, ITM_WAIT_RESTART);
	itm_preemption_report_if_any(self);
}

/* Where only one other thread transacts, it is the holder, and the word need not tell. */
static inline void see_locks(struct itm_thread *self)
{
	self->lock_table = itm_locks_in_use(&itm_locks);
	if (STMLOG_UNLIKELY(self->lock_table == NULL && AO_load(&itm_table_new) != 0))
		self->is_exact = 0; /* so that the next begin looks at the table */
	itm_hook_see_words(self, itm_rings_are_many() ? self->lock_table : NULL);
}

void itm_hook_begin_next_attempt(struct itm_thread *self)
{
	REQUIRES(self->flags & ITM_MEASURED);
	see_locks(self);
	copy_counters(self);
	self->kind = ITM_KIND_NONE;
	self->depth = 1;
	add_undo_action(self);
}

/* From this number of failures on all transactions are timed or measured (late.c), so this one stands for no other. */
static void set_weight_of_late(struct itm_thread *self)
{
	if (self->failures != self->watch.late_from || itm_agent.options.sample == 1)
		return;
	stmlog_set_weight(self->thread, 1);
	itm_hook_set_loss_weight(self);
}

static void after_restart(struct itm_thread *self)
{
	report_restart_wait(self);
	enum itm_reason reason = risen_reason(self);
	itm_pace_abort_begin(&self->sampling.pace, false);
	report_abort(self, itm_cause_of_restart(self->trace_kind, reason, itm_agent.method), reason);
	itm_pace_abort_end(&self->sampling.pace, false);
	itm_preemption_report_if_any(self);
	if (self->failures > ITM_FAILURES_MAX)
		itm_alone_request(self->ring, 0, ITM_WAY_STARVED);
	set_weight_of_late(self);
	stmlog_retry_at(self->thread, place());
	itm_blame_begin();
	itm_hook_begin_next_attempt(self);
}

static void after_cancel(struct itm_thread *self)
{
	self->sampling.pace.cancels++;
	itm_pace_abort_begin(&self->sampling.pace, false);
	report_abort(self, itm_cause_of_cancel(), ITM_REASON_INIT_METHOD_GROUP);
	itm_pace_abort_end(&self->sampling.pace, false);
	itm_hook_after_measured_end(self);
	self->is_exact = 0; /* the next transaction looks at libitm's counters anew */
}

/* libitm has made its struct of the thread by now. */
static void publish_struct(struct itm_thread *self)
{
	self->published_struct = itm_transaction();
	AO_store(&self->ring->holder, (AO_t)self->published_struct);
}

/* libitm's begin has returned for a transaction that is not measured. If the program has cancelled the transaction, the
 * hook of abort has dealt with that already. */
static void begin_returned_unmeasured(struct itm_thread *self, uint32_t result)
{
	if ((result & (ITM_RESTORES_LIVE | ITM_ABORTED)) == ITM_RESTORES_LIVE)
		self->depth = 1;
}

/* If the thread was interrupted and did not sleep, it did not wait for the serial lock. */
static void report_begin_wait(struct itm_thread *self)
{
	bool is_wait = true;
	if (itm_was_preempted(self)) {
		is_wait = may_sleep(self);
		if (is_wait)
			itm_preemption_report_unless_asleep(self, self->watch.sleeps, &is_wait);
	}
	if (is_wait)
		itm_wait_timer_stop_and_report_begin(self);
	else
		itm_wait_timer_stop(self); /* also ends the look at other threads */
}

/* Whether libitm's begin has returned for the first time, in a transaction that began on the fast path and can
 * restart. */
static inline bool is_first_return_on_fast_path(const struct itm_thread *self, uint32_t result)
{
	const uint32_t bits = ITM_SAVES_LIVE | ITM_RESTORES_LIVE | ITM_ABORTED;
	return (self->flags & ITM_FAST_PATH) && (result & bits) == ITM_SAVES_LIVE && !itm_was_preempted(self);
}

/* libitm's counters need not be copied: they have not moved since an attempt failed last, or since a transaction took
 * the slow path. */
static inline void begin_returned_on_fast_path(struct itm_thread *self)
{
	self->flags |= ITM_ARMED;
	self->kind = ITM_KIND_NONE;
	if (!(self->flags & ITM_BARE))
		see_locks(self);
	itm_real_add_undo(undo, NULL);
}

static void __attribute__((noinline)) begin_returned_on_slow_path(struct itm_thread *self, uint32_t result)
{
	if (STMLOG_UNLIKELY(!(self->flags & ITM_MEASURED))) {
		begin_returned_unmeasured(self, result);
		return;
	}
	if (STMLOG_LIKELY(!(result & ITM_RESTORES_LIVE))) {
		itm_alone_publish_wait(self->ring, 0);
		report_begin_wait(self);
		/* Without ITM_SAVES_LIVE the transaction is irrevocable, or runs in hardware: its commit waits for no
		 * other, and libitm would not call the undo action, but keep it for a later transaction. */
		if (result & ITM_SAVES_LIVE)
			add_undo_action(self);
		else
			self->flags = (self->flags | ITM_ARMED) & ~(uint32_t)ITM_TIMED;
		publish_struct(self);
		see_locks(self);
		copy_counters(self);
		self->is_exact = itm_exact_is_possible(self);
	} else if (result & ITM_ABORTED) {
		after_cancel(self);
	} else {
		after_restart(self);
	}
	self->kind = ITM_KIND_NONE;
}

/* begin.S calls this after each return of the real begin, when the user's return address is back in its slot. */
void itm_begin_returned(uint32_t result)
{
	struct itm_thread *self = &itm_self;
	if (STMLOG_LIKELY(is_first_return_on_fast_path(self, result)))
		begin_returned_on_fast_path(self);
	else
		begin_returned_on_slow_path(self, result);
}

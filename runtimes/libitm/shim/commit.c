/* SPDX-License-Identifier: MIT
 * The hook of libitm's commit. Most transactions are plain (plain.h), and take the fast path at the end of this file:
 * it calls no function but libitm's, and stores only the words that other threads read, and the count. */
#include "steps.h"

#include <string.h>

#include "cache.h"
#include "entries.h"
#include "plain.h"
#include "preemption.h"
#include "stacks.h"
#include "stopwatch.h"
#include "ticks.h"
#include "wait.h"

STMLOG_API void _ITM_commitTransaction(void);
STMLOG_API void _ITM_commitTransactionEH(void *exception);

/* ---- the slow path ---- */

/* The thread was interrupted in a transaction that was not sampled: before its commit, or within it. */
static void report_interrupted_commit(struct itm_thread *self)
{
	if (itm_ring_has_unknown_off(self->ring)) {
		itm_preemption_report_unmeasured(self, ITM_PREEMPTED_BEFORE_COMMIT);
		return;
	}
	uint64_t off_ns, beyond_ns = itm_preemption_report_commit(self, &off_ns);
	itm_wait_report_unmeasured_commit(self, beyond_ns, off_ns);
}

/* Counts the commit of a transaction that was not measured closely. `ended`: the time stamp after libitm's commit, if
 * the transaction is timed. */
static inline void count_unmeasured_commit(struct itm_thread *self, uint64_t ended)
{
	if (STMLOG_UNLIKELY(self->flags & ITM_STOPWATCH)) {
		self->watch.committing = self->entered;
		self->entered = 0;
		itm_stopwatch_committed(self, ended);
		self->flags = 0;
	} else if (itm_was_preempted(self)) {
		report_interrupted_commit(self);
	}
	itm_counts_add(&self->ring->counts.commits);
	self->depth = 0;
}

/* Time off the processor within commit looks like a wait. */
static void report_interrupted_wait(struct itm_thread *self)
{
	uint64_t inside_ns = itm_ticks_to_ns(self->commit_ticks), off_ns = itm_preemption_report(self);
	if (inside_ns != 0) {
		double part = inside_ns > off_ns ? (double)(inside_ns - off_ns) / (double)inside_ns : 0;
		self->commit_ticks = (uint64_t)((double)self->commit_ticks * part);
	}
	self->started_ns += off_ns; /* the rest of the commit's time is compared with that of the transaction */
	itm_wait_report_commit(self, itm_time_stamp());
}

/* The commit returned at the time stamp `now`. Reporting a wait takes longer than a short transaction: the thread may
 * be interrupted there, too. */
static void __attribute__((noinline)) report_wait(struct itm_thread *self, uint64_t now)
{
	if (itm_was_preempted(self))
		report_interrupted_wait(self);
	else
		itm_wait_report_commit(self, now);
	itm_preemption_report_if_any(self);
}

/* Behind the library's commit of the measured transaction. */
static inline void count_reads(struct itm_thread *self)
{
	size_t reads = itm_blame_reads(self);
	self->sampling.reads += reads;
	if (reads != 0)
		stmlog_count_reads(self->thread, reads);
}

/* libitm's commit returned at the time stamp `now`, which is 0 if the transaction is neither measured nor timed. */
static inline void after_commit(struct itm_thread *self, uint64_t now)
{
	bool is_presumed = self->flags & ITM_PRESUMED;
	if (STMLOG_UNLIKELY(itm_agent.method == ITM_METHOD_HARDWARE))
		itm_counts_add(
			self->flags & ITM_RAN_ALONE ? &self->ring->counts.alone : &self->ring->counts.in_hardware);
	itm_hook_append_end(self);
	if (self->flags & ITM_MEASURED) {
		report_wait(self, now);
		stmlog_commit(self->thread);
		count_reads(self);
		itm_hook_after_measured_end(self);
	} else {
		count_unmeasured_commit(self, now);
	}
	if (STMLOG_UNLIKELY(is_presumed))
		itm_preemption_end_presumption(self);
}

/* True for the outermost commit. Its depth stays until it has succeeded: a commit that fails restarts the transaction.
 */
static inline bool is_outermost(struct itm_thread *self)
{
	if (self->depth <= 1)
		return true;
	self->depth--;
	return false;
}

/* The thread was interrupted before commit. If the transaction is not sampled, all system calls but the shortest wait
 * until it has committed, since other transactions may wait for it; the ring tells them. */
static void report_interruption(struct itm_thread *self)
{
	if (self->flags & ITM_STOPWATCH)
		itm_stopwatch_interrupted(self);
	else if (self->flags & ITM_MEASURED)
		self->started_ns += itm_preemption_report(self);
	else
		itm_ring_interrupt(self->ring, itm_preemption_off_later(self), itm_ticks_now());
}

/* Called directly before libitm's commit. Lets other threads see that the transaction commits, and, if they want time
 * stamps, when. */
static inline void before_commit(struct itm_thread *self)
{
	itm_alone_record_at_end(self);
	if (itm_counts_runs_alone())
		self->flags |= ITM_RAN_ALONE;
	if (itm_was_preempted(self))
		report_interruption(self);
	itm_wait_timer_start_commit(self);
	uint64_t stamp = self->entered;
	if (STMLOG_UNLIKELY(AO_load(&itm_others_want_stamps)) && stamp == 0)
		stamp = itm_time_stamp();
	if (self->flags & ITM_MEASURED)
		itm_ring_note_measured_commit(self->ring, stamp);
	else
		itm_ring_note_commit(self->ring, stamp);
}

/* The commit of a measured transaction has returned, at the time stamp `now`. If the transaction has deferred work, a
 * commit action has noted before when it left. */
static inline void note_left(struct itm_thread *self, uint64_t now)
{
	if (self->entered != 0)
		itm_wait_commit_left(self, now);
	else if (self->commit_ticks == 0)
		itm_ring_note_left(self->ring, now);
}

/* The time stamp after the commit of a measured or timed transaction. Another thread may have forbidden its time stamps
 * since the timer was started. */
static inline uint64_t stamp_after_commit(const struct itm_thread *self)
{
	return self->entered != 0 ? itm_ticks_now() : itm_time_stamp();
}

/* Returns the time stamp for after_commit(). */
static inline uint64_t note_end(struct itm_thread *self)
{
	uint64_t now = self->flags & (ITM_MEASURED | ITM_STOPWATCH) ? stamp_after_commit(self) : 0;
	if (self->flags & ITM_MEASURED) {
		note_left(self, now);
		itm_callers_hide(self);
	}
	itm_ring_note_end(self->ring);
	return now;
}

static void __attribute__((noinline)) commit_on_slow_path(struct itm_thread *self, uintptr_t *slot)
{
	if (!is_outermost(self)) {
		itm_real_commit();
		return;
	}
	itm_hook_note_entry(self, ITM_KIND_COMMIT, slot);
	before_commit(self);
	itm_real_commit();
	after_commit(self, note_end(self));
}

/* The commit when an exception leaves the transaction. */
void _ITM_commitTransactionEH(void *exception)
{
	struct itm_thread *self = &itm_self;
	if (!is_outermost(self)) {
		itm_real_commit_eh(exception);
		return;
	}
	itm_hook_note_entry(self, ITM_KIND_COMMIT, NATIVE_RETURN_SLOT());
	before_commit(self);
	itm_real_commit_eh(exception);
	after_commit(self, note_end(self));
}

/* ---- the fast path ---- */

static inline uint64_t depth_and_flags(const struct itm_thread *self)
{
	uint64_t both;
	memcpy(&both, &self->depth, sizeof both);
	return both;
}

static inline bool runs_plainly(void)
{
	uint64_t dispatch = itm_dispatch_scrambled();
	return dispatch == AO_load(&itm_plain.dispatch) || dispatch == AO_load(&itm_plain.solo);
}

static inline void count_plain(struct itm_thread *self)
{
	itm_counts_add(&self->ring->counts.commits);
	self->depth = 0;
}

static void __attribute__((noinline, cold)) count_interrupted_plain(struct itm_thread *self, uintptr_t *slot)
{
	itm_hook_note_entry(self, ITM_KIND_COMMIT, slot);
	report_interrupted_commit(self);
	count_plain(self);
}

static inline void after_plain_commit(struct itm_thread *self, uintptr_t *slot)
{
	struct itm_ring *ring = self->ring;
	itm_ring_note_end(ring);
	if (itm_ring_has_writes(ring))
		itm_ring_append_end(ring, itm_stamp());
	if (itm_was_preempted(self))
		count_interrupted_plain(self, slot);
	else
		count_plain(self);
}

/* Depth 1, with the flags of the fast path (attempts.c). */
#define MEASURED_ON_FAST_PATH (1 | (uint64_t)(ITM_MEASURED | ITM_FAST_PATH | ITM_ARMED) << 32)

/* Notes the entry and its place, and takes a traceback, only if the thread was interrupted in libitm's commit. */
static inline void commit_plain(struct itm_thread *self, uintptr_t *slot)
{
	itm_ring_note_commit(self->ring, 0);
	itm_real_commit();
	after_plain_commit(self, slot);
}

/* Whether the transaction holds no locks, as its data barriers tell, if it has any: then ml_wt's commit does not fail,
 * and waits for no other. */
static inline bool has_only_read(const struct itm_thread *self)
{
	bool is_known = self->memory != NULL && (self->flags & (ITM_TIMED | ITM_BARE)) == ITM_TIMED;
	return is_known && !itm_ring_has_writes(self->ring) && !itm_bursts_was_cut(self->ring);
}

/* Commits for the library at that time stamp, which was read behind libitm's commit. */
static inline void commit_at(struct itm_thread *self, uint64_t now)
{
	if (STMLOG_LIKELY(!itm_was_preempted(self))) {
		stmlog_commit_now(self->thread, stmlog_now_by_tsc_ns(now));
		return;
	}
	itm_preemption_report_if_any(self);
	stmlog_commit(self->thread);
}

/* Reads the time once: for others as when it left, and for the library as when it committed. */
static inline void commit_reader(struct itm_thread *self)
{
	struct itm_ring *ring = self->ring;
	itm_ring_note_measured_commit(ring, ITM_RING_LATER);
	itm_real_commit();
	uint64_t left = itm_ticks_now();
	itm_ring_note_reader_left(ring, left);
	itm_ring_note_end(ring);
	commit_at(self, left);
}

static inline void commit_writer(struct itm_thread *self)
{
	struct itm_ring *ring = self->ring;
	itm_wait_timer_start_commit(self);
	itm_ring_note_measured_commit(ring, self->entered);
	itm_real_commit();
	uint64_t now = stamp_after_commit(self);
	note_left(self, now);
	itm_ring_note_end(ring);
	if (itm_ring_has_writes(ring))
		itm_ring_append_end(ring, itm_stamp());
	if (STMLOG_UNLIKELY(self->commit_ticks > ITM_WAIT_MIN))
		report_wait(self, now);
	commit_at(self, now);
}

/* Commits a transaction that has begun on the fast path. Out of line, so that plain transactions save no registers for
 * it. */
static void __attribute__((noinline)) commit_measured(struct itm_thread *self, uintptr_t *slot)
{
	itm_hook_note_entry(self, ITM_KIND_COMMIT, slot);
	if (has_only_read(self))
		commit_reader(self);
	else
		commit_writer(self);
	count_reads(self);
	self->depth = 0;
	self->flags = 0;
}

void _ITM_commitTransaction(void)
{
	struct itm_thread *self = &itm_self;
	uint64_t state = depth_and_flags(self) & ~((uint64_t)(ITM_BARE | ITM_TIMED | ITM_HAS_FREED) << 32);
	bool is_simple = runs_plainly() && !itm_was_preempted(self);
	if (STMLOG_LIKELY(state == 1 && is_simple))
		commit_plain(self, NATIVE_RETURN_SLOT());
	else if (STMLOG_LIKELY(state == MEASURED_ON_FAST_PATH && is_simple))
		commit_measured(self, NATIVE_RETURN_SLOT());
	else
		commit_on_slow_path(self, NATIVE_RETURN_SLOT());
}

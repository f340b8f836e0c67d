/* SPDX-License-Identifier: MIT
 *
 * Waits of a measured transaction inside libitm, which does not report them: for the serial lock when an attempt
 * begins; when the transaction becomes irrevocable; and at the end of commit, until all other transactions have noticed
 * its writes. They are inferred from how long the entry took, by the processor's time stamp counter. A time that may be
 * the entry's own work is not counted.
 *
 * The wait of commit ends where libitm calls commit actions. After that comes the program's own work, such as free(),
 * if there is any (other_entries.c); otherwise libitm's commit returns.
 *
 * The other transaction of a wait is found by looking at the other threads before the wait and after it. others.h is
 * for waits until transactions under way have left, alone.h for waits for the serial lock.
 *
 * Invariants, of struct itm_thread: `entered` is the time stamp when an entry that may wait was called, and 0 once its
 * duration is known; `commit_ticks` is the duration of this transaction's commit, and 0 before that is known.
 */
#ifndef ITM_WAIT_H
#define ITM_WAIT_H

#include "agent.h"
#include "alone.h"
#include "cause.h"
#include "entries.h"
#include "others.h"
#include "preemption.h"
#include "requires.h"
#include "stamp.h"
#include "thread.h"
#include "ticks.h"

/* In ticks. An entry's own work takes about ITM_WAIT_OWN, and more than ITM_WAIT_MIN only if it has to check many
 * reads. Begin's code and data are often in no cache. A thread's first begin also creates libitm's struct of the
 * thread. */
#define ITM_WAIT_OWN 256
#define ITM_WAIT_MIN 1024
#define ITM_WAIT_MIN_BEGIN 4096
#define ITM_WAIT_MIN_FIRST 2000000

/* The transactions for which the calling thread may wait, as seen before it waits. */
struct itm_waiting {
	bool has_looked;
	bool is_exclusive; /* begin takes the serial lock alone */
	AO_t alone;        /* itm_alone_so_far() */
	struct itm_others others;
	struct itm_blocker blocker; /* the result, for a commit */
};

/* To be called before an entry that may wait: notes the transactions under way, for which it may wait. */
void itm_wait_snapshot(struct itm_thread *self);

/* Fills in the other side of *loss for an attempt that failed because it was to become irrevocable: the transaction
 * that was in its way, if it is found. Does nothing if the transaction's waits are not measured. */
void itm_wait_blame_failed_upgrade(struct itm_thread *self, struct stmlog_loss *loss);

/* ---- ticks of the time stamp counter ---- */

/* Ticks in nanoseconds. Requires agent.has_steady_tsc, but for 0 ticks. */
uint64_t itm_ticks_to_ns(uint64_t ticks);

/* As itm_ticks_to_ns(), but without reading the clock: uses the ratio of that function's last call. */
uint64_t itm_ticks_to_ns_cached(uint64_t ticks);

/* The number of ticks in `ns` nanoseconds. Requires agent.has_steady_tsc. */
uint64_t itm_ticks_from_ns(uint64_t ns);

/* Reads the clocks for the first time. Returns whether the time stamp counter always runs at the same speed, without
 * which waits are not inferred. */
bool itm_ticks_prepare(void);

/* ---- reports ---- */

/* An entry took so many ticks: reports a wait to the library, unless the time was the entry's own work. `now`: a time
 * stamp after it. */
void itm_wait_report(enum itm_wait wait, uint64_t ticks, uint64_t now);

/* The commit that has just returned, of a transaction that is not measured closely, has taken `ns` longer than usual,
 * besides `off_ns` off the processor: reports the wait, with the transaction that it was for, if that is found.
 * Requires self->slot. */
void itm_wait_report_unmeasured_commit(struct itm_thread *self, uint64_t ns, uint64_t off_ns);

/* The commit of a timed transaction of this weight has waited for `ns`. If it was a long wait, half of which or more
 * was for a processor that another thread did not have, reports it, and returns true. Such a wait is rare, and as long
 * as thousands of others: among those of its transaction, the report would divide its time among all of them. Requires
 * self->slot. */
bool itm_wait_report_preempted_commit(struct itm_thread *self, double weight, uint64_t ns);

/* The commit has waited until the time stamp `left`: stops its timer. Does nothing if that does not run: it was stopped
 * already, or was not started, since the transaction has only read. */
void itm_wait_commit_left(struct itm_thread *self, uint64_t left);

/* ---- the timer of an entry ---- */

/* Whether waits are possible, and can be inferred: while a single thread has transacted, there is no other to wait for.
 * Under htm a begin that takes long may as well have tried in hardware in vain.
 */
static inline bool itm_wait_is_possible(void)
{
	return itm_agent.has_steady_tsc && itm_agent.method != ITM_METHOD_HARDWARE && itm_rings_are_several();
}

/* Whether a commit looks at other threads only when it has waited: where all transactions are measured closely, rings
 * tell what was under way when the wait began. */
static inline bool itm_wait_looks_back(void)
{
	return itm_agent.options.sample == 1;
}

/* An entry that may wait is about to be called. A transaction that is only timed notes no others, so that it takes no
 * longer than others. An interruption up to here, in the agent's work before the entry, is no part of the wait. It is
 * reported now: after the wait it could not be distinguished from one during the wait. */
static inline void itm_wait_timer_start(struct itm_thread *self, bool may_wait)
{
	if (may_wait && (self->flags & ITM_MEASURED)) {
		itm_wait_snapshot(self);
		itm_preemption_report_if_any(self);
	}
	self->entered = may_wait ? itm_ticks_now() : 0;
}

/* The entry was over at the time stamp `now`: returns the ticks that it took. Requires that the timer was started. */
static inline uint64_t itm_wait_timer_stop_at(struct itm_thread *self, uint64_t now)
{
	uint64_t entered = self->entered;
	REQUIRES(entered != 0);
	self->entered = 0;
	if (self->waiting != NULL)
		itm_others_release_stamps(&self->waiting->others);
	return now - entered;
}

/* The entry is over: returns the ticks that it took; 0: they were not measured. */
static inline uint64_t itm_wait_timer_stop(struct itm_thread *self)
{
	return self->entered != 0 ? itm_wait_timer_stop_at(self, itm_ticks_now()) : 0;
}

/* The entry has returned: reports its wait, if it took long enough for one. */
static inline void itm_wait_timer_stop_and_report(struct itm_thread *self, enum itm_wait wait)
{
	uint64_t ticks = itm_wait_timer_stop(self);
	if (STMLOG_UNLIKELY(ticks > ITM_WAIT_MIN))
		itm_wait_report(wait, ticks, itm_ticks_now());
}

/* ---- begin ---- */

/* Begin takes the serial lock shared; or alone, for an irrevocable transaction and for a thread's first one. Under
 * gl_wt it then waits for the global lock. */
static inline void itm_wait_timer_start_begin(struct itm_thread *self, uint32_t properties)
{
	bool is_known = itm_locks.serial != NULL, is_first = itm_transaction() == NULL;
	bool is_serial = is_first || (properties & ITM_GOES_IRREVOCABLE) || (is_known && *itm_locks.serial != 0);
	self->failures = 0;
	self->commit_ticks = 0;
	if (itm_wait_is_possible())
		self->flags |= ITM_TIMED | (is_first ? ITM_FIRST : 0) | (is_serial ? ITM_SERIAL : 0);
	bool may_wait = is_serial || !is_known || itm_agent.method != ITM_METHOD_LOCKS;
	if (self->waiting != NULL)
		self->waiting->is_exclusive = is_first || (properties & ITM_GOES_IRREVOCABLE);
	itm_wait_timer_start(self, may_wait && (self->flags & ITM_TIMED));
}

static inline void itm_wait_timer_stop_and_report_begin(struct itm_thread *self)
{
	uint64_t ticks = itm_wait_timer_stop(self);
	if (STMLOG_UNLIKELY(ticks > (self->flags & ITM_FIRST ? ITM_WAIT_MIN_FIRST : ITM_WAIT_MIN_BEGIN)))
		itm_wait_report(ITM_WAIT_BEGIN, ticks, itm_ticks_now());
}

/* ---- the next attempt ---- */

/* libitm has rolled back: counts the failed attempt. Before the next one libitm may take the serial lock alone: if the
 * attempt could not become irrevocable, or could not undo an inner transaction, or if too many attempts have failed.
 * Returns whether the next begin may wait. After a cancel there is no next attempt. */
static inline bool itm_wait_count_rollback(struct itm_thread *self)
{
	bool is_serial = ++self->failures > ITM_FAILURES_MAX || self->kind >= ITM_KIND_MODE;
	self->flags = is_serial ? self->flags | ITM_SERIAL : self->flags & ~(uint32_t)ITM_SERIAL;
	bool may_wait = is_serial || itm_agent.method != ITM_METHOD_LOCKS;
	return may_wait && (self->flags & (ITM_TIMED | ITM_CANCELLING)) == ITM_TIMED;
}

/* ---- within the transaction ---- */

static inline void itm_wait_timer_start_in_transaction(struct itm_thread *self)
{
	itm_wait_timer_start(self, self->flags & (ITM_TIMED | ITM_STOPWATCH));
}

/* Has libitm stop the timer of the commit when it calls commit actions. */
void itm_wait_add_commit_action(const struct itm_thread *self);

/* Directly before libitm's commit. */
static inline void itm_wait_timer_start_commit(struct itm_thread *self)
{
	if (STMLOG_UNLIKELY(self->flags & ITM_HAS_FREED))
		itm_wait_add_commit_action(self);
	if (itm_wait_looks_back())
		self->entered = self->flags & ITM_TIMED ? itm_ticks_now() : 0;
	else
		itm_wait_timer_start_in_transaction(self);
}

static inline void itm_wait_report_commit(struct itm_thread *self, uint64_t now)
{
	if (STMLOG_UNLIKELY(self->commit_ticks > ITM_WAIT_MIN))
		itm_wait_report(ITM_WAIT_COMMIT, self->commit_ticks, now);
}

#endif

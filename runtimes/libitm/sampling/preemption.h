/* SPDX-License-Identifier: MIT
 *
 * Whether a thread was off the processor, in transactions that are measured or not. `critical` points to the thread's
 * word (stmlog_interruption_word()): it is 0 if the thread was interrupted since the agent looked last.
 *
 * The agent looks when a transaction begins, and around its commit. Only after an interruption it asks the kernel for
 * the thread's time on the processor, which takes a system call, as the interruption has. So the time off the processor
 * in transactions is known one by one, measured or not. A thread is mostly interrupted because its time slice is over,
 * and mostly in a transaction that takes very long: it waits for another thread that is off the processor, say. The
 * time that such a transaction takes beyond the usual is therefore reported on its own, too, and stands for no other
 * transaction.
 *
 * Waits for the serial lock sleep in the kernel as well, and are no time off the processor: where a wait is reported as
 * a whole, itm_preemption_discard_if_any() follows. Transactions that find the lock taken when they begin are all timed
 * or measured closely; if one was interrupted there, the kernel tells whether it slept
 * (itm_preemption_report_unless_asleep()). Where the interruption was short, sleep is presumed instead, since a system
 * call in a transaction makes others wait.
 *
 * All functions are about the calling thread.
 */
#ifndef ITM_PREEMPTION_H
#define ITM_PREEMPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "thread.h"

/* Whether the thread was interrupted since the last look. */
static inline bool itm_was_preempted(const struct itm_thread *self)
{
	return STMLOG_UNLIKELY(*self->critical == 0);
}

/* Starts looking, if the kernel and libitm's method allow it; and ends it, as the thread ends. */
void itm_preemption_begin(void);
void itm_preemption_end(void);

/* Whether threads are looked at. */
bool itm_preemption_is_watched(void);

/* How often the thread has gone to sleep by itself, up to now: in a wait for a lock, for example. Makes a system call
 * only if the thread was interrupted. Behind a filter of system calls, that of the last look. */
uint64_t itm_preemption_sleeps(const struct itm_thread *self);

/* As itm_ring_interrupt() gets it before a commit, after which the time will be read. */
AO_t itm_preemption_off_later(const struct itm_thread *self);

/* Discards an interruption up to now, if there was one. */
void itm_preemption_discard_if_any(struct itm_thread *self);

/* Likewise, in a transaction, where the thread may have slept until it had the serial lock. */
void itm_preemption_discard_wait(struct itm_thread *self);

/* The transaction is presumed to have slept for `wait_ns` before another attempt, which are not in *timed, the rest of
 * it. The next look at the thread tells how much of that was sleep; what was none passed in failed attempts, each of
 * which stands for `attempts_per_timed`. Both are reported then. Requires wait_ns > 0. */
void itm_preemption_report_presumed_later(struct itm_thread *self, uint64_t wait_ns,
	const struct stmlog_timed_transaction *timed, double attempts_per_timed);

/* The transaction has committed in which the thread was presumed to have slept (ITM_PRESUMED). The next begin asks the
 * kernel. */
void itm_preemption_end_presumption(struct itm_thread *self);

/* The clock was read, as a sampled transaction begins: learns how long transactions take, with the time between them.
 */
void itm_preemption_learn(struct itm_thread *self, uint64_t now_ns);

/* Discards an interruption, which was outside of transactions. For begin.S. */
void itm_preemption_discard(void);

/* The thread was interrupted in a transaction that is not measured closely: before its commit, which is about to be
 * called; before it was rolled back or the program cancels it, now; or while it became irrevocable, just now. In the
 * last case, if the thread slept, that was a wait, too. */
enum itm_preempted { ITM_PREEMPTED_BEFORE_COMMIT, ITM_PREEMPTED_BEFORE_CANCEL, ITM_PREEMPTED_UPGRADING };
void itm_preemption_report_unmeasured(struct itm_thread *self, enum itm_preempted where);

/* Likewise, if the thread was interrupted within the transaction's commit, which has just returned. Reports the time
 * off the processor, and sets *off_ns to it. Returns the time beyond the usual, a wait, which the caller reports. */
uint64_t itm_preemption_report_commit(struct itm_thread *self, uint64_t *off_ns);

/* The thread was interrupted in the transaction under way, which is sampled. Reports the time off the processor to the
 * library, and returns it. */
uint64_t itm_preemption_report(struct itm_thread *self);

/* Calls itm_preemption_report() if the thread was interrupted. To be called after steps of the agent that take long
 * enough for that. */
static inline void itm_preemption_report_if_any(struct itm_thread *self)
{
	if (itm_was_preempted(self))
		itm_preemption_report(self);
}

/* As itm_preemption_report(), but if the thread has slept since it had gone to sleep `sleeps` times, the time off the
 * processor is a wait, which is not reported. */
uint64_t itm_preemption_report_unless_asleep(struct itm_thread *self, uint64_t sleeps, bool *has_slept);

/* The time beyond the usual of a part of a sampled transaction that took `ns`, and in which the thread was interrupted.
 */
uint64_t itm_preemption_beyond(const struct itm_thread *self, uint64_t ns);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Whether a thread was off the processor, found without reading a clock for each transaction. The kernel keeps a word
 * for each thread, by which it restarts sequences of instructions (rseq(2); glibc registers it). If the thread is
 * preempted, moves to another processor or runs a signal handler, and the word names a sequence that the thread is not
 * in, the kernel sets the word to 0. The agent names a sequence that is never run. So the word, as `critical` points to
 * it, is 0 if the thread was interrupted since the agent looked last.
 *
 * The agent looks when a transaction begins and when it has committed. Time off the processor in transactions is then
 * reported one by one, measured or not: all that has passed since the clock was read last, but the usual time of the
 * transactions since then. Outside of transactions the time is only left out of the usual time.
 *
 * Waits for a lock of libitm's sleep in the kernel, too, and are no time off the processor: such entries of libitm are
 * followed by itm_preemption_forget(). Transactions that find the serial lock taken when they begin are all measured.
 *
 * Functions are about the calling thread.
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

/* From here on, the next look begins. */
void itm_preemption_forget(struct itm_thread *self);

/* The clock was read, as a sampled transaction begins: learns how long transactions take, with the time between them.
 */
void itm_preemption_learn(struct itm_thread *self, uint64_t now_ns);

/* The thread was interrupted outside of transactions, or in one that was not measured. */
void itm_preempted_outside(void);
void itm_preempted_inside(struct itm_thread *self);

/* The thread was interrupted in the attempt under way, which is measured. */
void itm_preempted_attempt(struct itm_thread *self);

/* How much of a part of a transaction that took `ns` was time off the processor, if the thread was interrupted in it.
 */
uint64_t itm_preempted_ns(const struct itm_thread *self, uint64_t ns);

#endif

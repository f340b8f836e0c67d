/* SPDX-License-Identifier: MIT
 *
 * lazystm: a small lazy STM, of the kind that most STMs are today (TL2). The second example of a runtime that embeds
 * stmlog, beside smallstm: here a conflict is mostly with a transaction that has committed long before. Begin with
 * hooks.h, which has all hooks. stm.h has most of the interface.
 *
 * Each word of an object belongs to one of a fixed number of *locks*. A lock has the version of its words: the time of
 * the global clock when they were written last. A transaction begins by reading the clock, its *snapshot*, and reads
 * only words that are no newer. Its writes go into a buffer. Only the commit takes locks: those of the words to be
 * written. Then it advances the clock, checks that all words it has read are still no newer than the snapshot, and
 * writes. A transaction that only reads takes no lock.
 *
 * No transaction waits for another one because of a conflict: the one that detects it aborts itself, and begins again.
 * Objects live until stm_close(), since an attempt that will abort may still read them.
 */
#ifndef LAZYSTM_H
#define LAZYSTM_H

#include "stm.h"

/* From now on the thread's commits call `call` right before they write, while they hold their locks. NULL: they call
 * nothing. For tests, which make conflicts by it. */
void stm_while_locked(struct stm_thread *thread, void (*call)(void *arg), void *arg);

/* As stm_retry(), but the next attempt begins when another transaction has written something that this one has read:
 * until then the thread sleeps, for good if the transaction has read nothing. Requires: the thread is in a transaction.
 */
#define stm_await(thread, why) stm_await_at(thread, STM_HERE(), why)
_Noreturn void stm_await_at(struct stm_thread *thread, stm_line here, const char *why);

#endif

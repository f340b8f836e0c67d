/* SPDX-License-Identifier: MIT
 *
 * From which failed attempt on a thread's transactions are measured late (shim/late.c): `watch.late_from`. It is chosen
 * before a transaction begins, and does not depend on that transaction: otherwise the estimates would have a bias. It
 * grows while measuring late takes too much time, or disturbs what it measures, and shrinks again afterwards.
 *
 * Measuring an attempt delays the next one. Two transactions that make each other fail again and again often do so in
 * step; a delay of some attempts' length ends that, and the failures with it. So where attempts take no longer than the
 * delay, only few transactions may be measured late. There the losses are found by the sample of all transactions.
 */
#ifndef ITM_LATE_FROM_H
#define ITM_LATE_FROM_H

#include <stdint.h>

#include "thread.h"

enum { ITM_LATE_MIN = 2, ITM_LATE_MAX = 64 };

/* Starts to choose `late_from` for the calling thread. */
void itm_late_from_begin(struct itm_thread *self, uint64_t now_ns);

/* To be called now and then, after reading the clock: chooses `late_from` for the next transactions. */
void itm_late_from_choose(struct itm_thread *self, uint64_t now_ns);

/* Adds the time that timing a transaction late has taken. */
static inline void itm_late_timing_took(struct itm_thread *self, double ns)
{
	self->late.cost_ns += ns;
	self->late.timing_ns += ns;
}

#endif

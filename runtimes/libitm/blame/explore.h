/* SPDX-License-Identifier: MIT
 *
 * Over what, and because of whom, hardware transactions may have failed. The processor does not tell. But some
 * transactions run alone, in code that calls our barriers: those that have failed too often, and now and then one that
 * is made to (hardware_begin.S does not try it). What these touch is kept by line of cache and by the place where they
 * begin (lines.h); where a transaction has failed over data, another thread's that is known to touch the same line is a
 * *candidate*, more so the more often both do.
 *
 * One that is made to run alone aborts those under way, so a thread makes some hundred a second at most. It is not
 * measured, for it takes longer than others. Where all transactions are to be measured none is made to.
 */
#ifndef ITM_EXPLORE_H
#define ITM_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>

#include <stmlog/runtime.h>

struct itm_thread;

/* Whether the transaction that begins, and would be measured, is to run alone instead. */
bool itm_explore_is_due(struct itm_thread *self);

/* The transaction under way runs alone: its barriers are to leave what they are about, if it is time for that. */
void itm_explore_begin(struct itm_thread *self);

/* It has committed; `from` is where its writes begin in the ring. */
void itm_explore_keep(struct itm_thread *self, uint64_t from);

/* Fills in a candidate for a transaction from the thread's `site` that has failed over data, if there is one.
 * loss->remote is owned then. */
void itm_explore_blame(struct itm_thread *self, struct tb_stack *stack, struct stmlog_loss *loss);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The likely culprit of a hardware transaction that aborts over data. The processor tells neither the data nor the
 * other transaction. But some transactions run alone, in code that calls the agent's barriers: those that have failed
 * too often in hardware, and now and then one that the agent makes run alone (hardware_begin.S does not try it in
 * hardware). The cache lines that these transactions touch are kept, by the site where the transaction began (lines.h).
 * When a transaction aborts over data, a transaction of another thread that is known to touch the same line is a
 * *candidate*; the one with which this happens most often is chosen.
 *
 * A transaction that runs alone aborts all others that are under way in hardware. So each thread makes some hundred
 * transactions a second run alone at most. They are not measured, because they take longer than others. With sample=1
 * there are none.
 */
#ifndef ITM_EXPLORE_H
#define ITM_EXPLORE_H

#include <stdbool.h>
#include <stdint.h>

#include <stmlog/agent.h>

struct itm_thread;

/* Whether the transaction that begins is to run alone, instead of being measured. */
bool itm_explore_is_due(struct itm_thread *self);

/* The transaction under way runs alone. If the thread has last kept lines long enough ago, the transaction's barriers
 * record their accesses. */
void itm_explore_begin(struct itm_thread *self);

/* The explored transaction has committed: keeps the lines that it has touched. `from` is where its writes begin in the
 * ring. */
void itm_explore_record_lines(struct itm_thread *self, uint64_t from);

/* Fills in a candidate for the loss of a transaction that began at the thread's `site` and failed over data, if there
 * is one. */
void itm_explore_blame(struct itm_thread *self, struct stmlog_loss *loss);

#endif

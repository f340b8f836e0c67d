/* SPDX-License-Identifier: MIT
 * Which transactions of the calling thread are sampled, how, and with which weight. */
#ifndef ITM_SAMPLE_H
#define ITM_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

/* Starts sampling for the calling thread, with the intervals of a thread that has ended, if there is one. Returns
 * whether there was: then the thread may end before any of its transactions is measured. */
bool itm_sampling_begin(void);

/* The calling thread ends: keeps its intervals for a thread that begins later. Requires that it is attached to the
 * library. */
void itm_sampling_end(void);

/* Decides whether the transaction that begins is sampled. Returns the time at which it begins, or 0: it is not sampled,
 * or begin.S will time one of the next transactions. `sampling.is_timed` tells the kind. Sets the weight and the
 * countdown. Requires that the thread is attached to the library. */
uint64_t itm_choose(void);

/* As itm_choose(), for a transaction that finds the serial lock taken: it is always measured closely, and stands for no
 * other. So the long waits are known one by one. */
uint64_t itm_choose_held(void);

/* The transaction under way, which was not measured closely so far, is so from its next attempt on. It stands for no
 * other. */
void itm_choose_late(void);

/* The cost of measuring a transaction closely. With many threads the look at their rings is the larger part. */
double itm_close_cost_ns(void);

/* Draws at random how many transactions to pass on before the next one that is measured. */
int32_t itm_draw(void);

#endif

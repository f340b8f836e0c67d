/* SPDX-License-Identifier: MIT
 *
 * Which transactions of a thread are measured, with which weight; and how the others are counted. Functions are about
 * the calling thread, except the last two, which are about the process.
 */
#ifndef ITM_SAMPLE_H
#define ITM_SAMPLE_H

#include <stdint.h>

/* Starts sampling for the calling thread. */
void itm_sampling_begin(void);

/* Decides whether the transaction that begins is measured. Returns the time at which it begins, or 0: it is not
 * measured. Sets the thread's weight and countdown. Requires that the thread is attached to the library. */
uint64_t itm_choose(void);

/* As itm_choose(), for a transaction that finds the serial lock taken: it is always measured, and stands for itself. So
 * the long waits are known one by one. */
uint64_t itm_choose_held(void);

/* Draws at random how many transactions to pass on before the next one that is measured. */
int32_t itm_draw(void);

/* The calling thread's restarts so far: libitm's, and failed tries in hardware. 0 if they cannot be read. */
uint64_t itm_restarts(void);

/* Hands the counts of transactions that were not measured over to the library, as far as they are new. Requires that
 * the thread is attached to the library. */
void itm_hand_over(void);

/* Writes into the recording how many of the aborts handed over were cancels by the program, which libitm does not
 * count; and, in a forked child, sets their number to 0. */
void itm_cancels_set_fact(void);
void itm_cancels_forget(void);

#endif

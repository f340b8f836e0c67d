/* SPDX-License-Identifier: MIT
 *
 * Which transactions of a thread are measured, and what each of them stands for; and how those that are not measured
 * are counted.
 */
#ifndef ITM_SAMPLE_H
#define ITM_SAMPLE_H

#include <stdint.h>

/* The calling thread begins, as far as sampling goes. */
void itm_sampling_begin(void);

/* The transaction that begins: when, if it is to be measured; 0 if not. The thread's weight is set. */
uint64_t itm_choose(void);

/* Draws how many transactions to let pass. */
int32_t itm_draw(void);

/* Restarts of the calling thread up to now, libitm's and those of tries in hardware; 0 where they cannot be read. */
uint64_t itm_restarts(void);

/* Hands what was not measured since the last time to the library. */
void itm_hand_over(void);

/* How many of all that was handed over as aborted the program itself had cancelled: libitm does not count those. */
void itm_tell_cancels(void);
void itm_forget_cancels(void);

#endif

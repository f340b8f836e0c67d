/* SPDX-License-Identifier: MIT
 *
 * Which transactions are measured: one in N of each capability, chosen at random when it begins. N is the option
 * `sample`, or with sample=auto the number with which measuring takes a small share of the time in transactions.
 */
#ifndef GHC_SAMPLING_H
#define GHC_SAMPLING_H

#include "capability.h"

/* Reads the option, and measures what reading a clock costs. Requires that the library is open. */
void sampling_open(void);

/* Whether all transactions are measured. */
bool sampling_is_exact(void);

/* Sets the first interval of a capability. */
void sampling_begin(struct ghc_capability *mine);

/* Chooses the next transaction to be measured. */
void sampling_draw(struct ghc_capability *mine);

/* A measured transaction has committed; `ticks` of the time stamp counter since its last attempt began. */
void sampling_note(struct ghc_capability *mine, uint64_t ticks);

#endif

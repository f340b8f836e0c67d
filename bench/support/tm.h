/* SPDX-License-Identifier: MIT
 *
 * Functions that run transactions, and those called within them: each kept whole, so that a traceback names it.
 */
#ifndef BENCH_TM_H
#define BENCH_TM_H

#define TM_RUNS __attribute__((noinline))
#define TM_SAFE __attribute__((transaction_safe, noinline))

#endif

/* SPDX-License-Identifier: MIT
 *
 * While some transactions are measured all of them abort more or less often than they
 * would. So nothing is measured for a fifth of the time, and what libitm itself counts
 * tells both rates: the observer effect of this very run.
 *
 * Off is ITM_PHASE_OFF_NS of each ITM_PHASE_PERIOD_NS, at a place in it that differs from period
 * to period, so as not to beat with the program. Every thread finds that out from the clock when
 * it reads it anyway: no timer, no signal, no shared line that changes. The agent is there in
 * both phases; what its hooks cost transactions that are not measured shows in neither.
 */
#ifndef ITM_PHASES_H
#define ITM_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#define ITM_PHASE_PERIOD_NS UINT64_C(100000000)
#define ITM_PHASE_OFF_NS UINT64_C(20000000)

bool itm_phase_is_off(uint64_t now_ns);

/* A point in the life of a thread. */
struct itm_phase_mark {
	uint64_t at_ns; /* 0: none */
	uint64_t transactions;
	uint64_t restarts;
};

/* Adds what a thread did between the two, all of it in one phase, to the process's sums. What is longer than a
 * phase can be is left out: the thread was away. */
void itm_phase_add(bool is_off, const struct itm_phase_mark *from, const struct itm_phase_mark *to);

/* Tells the library the sums, as facts of the recording. */
void itm_phases_tell(void);

/* In a forked child: nothing has happened. */
void itm_phases_forget(void);

#endif

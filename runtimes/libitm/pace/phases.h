/* SPDX-License-Identifier: MIT
 *
 * Phases without measuring, for the observer effect. Measuring some transactions changes how often all of them abort.
 * So nothing is measured for a fifth of the time; libitm's own counters give the rate of aborts with and without
 * measuring, and so the observer effect of this very run.
 *
 * Each ITM_PHASE_PERIOD_NS has an off phase of ITM_PHASE_OFF_NS. Its position differs from period to period, so that it
 * does not coincide with a rhythm of the program. A thread finds the phase from the time when it reads the clock
 * anyway: no timer, no signal and no shared data are needed. The agent's hooks are there in both phases; so their cost
 * for transactions that are not measured does not show.
 */
#ifndef ITM_PHASES_H
#define ITM_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#define ITM_PHASE_PERIOD_NS UINT64_C(100000000)
#define ITM_PHASE_OFF_NS UINT64_C(20000000)

bool itm_phase_is_off(uint64_t now_ns);

/* A moment in the life of a thread, and its counts at that time. */
struct itm_phase_mark {
	uint64_t at_ns; /* 0: there is no mark */
	uint64_t transactions;
	uint64_t restarts;
};

/* Adds the calling thread's counts between two marks to the process's sums. Any thread may call. The marks are the
 * beginning and the end of one phase. Nothing is added if there is no mark in *from, or if more time lies between the
 * marks than a phase can take: then the thread was not running in between. */
void itm_phase_add(bool is_off, const struct itm_phase_mark *from, const struct itm_phase_mark *to);

/* Writes the sums into the recording, as facts. */
void itm_phases_set_facts(void);

/* In a forked child: the sums are 0 again. */
void itm_phases_forget(void);

#endif

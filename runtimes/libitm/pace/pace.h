/* SPDX-License-Identifier: MIT
 *
 * sample=auto: how seldom a thread's transactions have to be measured so that the probes stay
 * cheap, by what they cost and how long the transactions are, both as measured.
 */
#ifndef ITM_PACE_H
#define ITM_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include <stmlog/runtime.h>

/* Probes may cost this part of the time in transactions; and no fewer than one in so many is
 * measured, however short they are. */
#define ITM_PACE_SHARE 0.01
#define ITM_PACE_MOST 256

/* What measured transactions have come to. */
struct itm_pace_window {
	uint64_t transactions;
	uint64_t aborts;
	uint64_t time_ns;      /* in all their attempts */
	double transaction_ns; /* what measuring one costs */
	double abort_ns;       /* and what each abort costs besides */
};

/* The smallest power of two that keeps to the share; the one there is if it is about right. */
uint32_t itm_pace_choose(uint32_t every, const struct itm_pace_window *window);

/* One thread's. All zero when it begins. */
struct itm_pace {
	uint32_t measured; /* transactions since the last look */
	uint32_t looks;
	uint32_t lower; /* how many of the last ones have found that it could be measured more often */
	uint64_t commits, aborts, time_ns; /* the account's, at the last look */
	uint64_t all_aborts;
	bool is_timed; /* the abort under way */
	uint64_t began_ns;
	double first_ns, rest_ns; /* what the two pieces of an abort's work take */
};

/* Whether it is time to look again, called for each measured transaction. */
bool itm_pace_is_due(struct itm_pace *pace);

/* Looks at what the thread's account says has happened since the last time. More is measured only when several looks
 * agree: a transaction that was preempted makes one look as if all were long. */
uint32_t itm_pace_look(
	struct itm_pace *pace, uint32_t every, double transaction_ns, const struct stmlog_account *account);

/* Around each of the two pieces of what the agent does for an abort: when it is rolled back, and when begin returns
 * again. Most are not timed. */
void itm_pace_abort_begin(struct itm_pace *pace, bool is_first);
void itm_pace_abort_end(struct itm_pace *pace, bool is_first);

#endif

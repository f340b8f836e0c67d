/* SPDX-License-Identifier: MIT
 *
 * All hooks of runtime.h, agent.h and timeline.h that change a handle, as a table: for tests that call them in turn, or
 * at random. A hook that does different things by its loss has several rows.
 */
#ifndef TESTS_EVERY_HOOK_H
#define TESTS_EVERY_HOOK_H

#include <stddef.h>

#include <stmlog/timeline.h>

/* What is under way for a handle. */
enum hook_state {
	STATE_ANY,     /* needed: it does not matter; left: what was under way before */
	STATE_OUTSIDE, /* no transaction, pause or wait */
	STATE_ABORTED, /* the same behind an abort: the next attempt may begin */
	STATE_ATTEMPT,
	STATE_FAILED, /* an attempt that has failed, of which the abort is still to be reported */
	STATE_PAUSE,
	STATE_WAIT,
	STATE_OTHER,
	STATE_BLOCKED,
	STATE_IDLE,   /* a lane that nobody has claimed */
	STATE_CLAIMED /* a lane that somebody has */
};

struct every_hook {
	const char *name;
	enum hook_state needs, leaves;
	void (*call)(struct stmlog_thread *thread);
};

extern const struct every_hook every_hook[];
extern const size_t every_hook_len;

/* Brings a handle of which nothing is under way into the state that a hook needs. A lane is claimed. */
void every_hook_prepare(struct stmlog_thread *thread, enum hook_state needs);

/* The origin of the other transaction of all conflicts; at first 0. */
extern uint64_t every_hook_other;

/* The weight of stmlog_set_weight(); at first 1. With more the account's rows become estimates. */
extern uint32_t every_hook_weight;

#endif

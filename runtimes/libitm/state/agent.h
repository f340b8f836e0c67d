/* SPDX-License-Identifier: MIT
 *
 * What the whole process knows: the options, libitm's method, and what of libitm can be read. Decided once, before the
 * first transaction is let through (life.c).
 */
#ifndef ITM_AGENT_H
#define ITM_AGENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <atomic_ops.h>

#include "loaded.h"
#include "method.h"
#include "options.h"

/* Invariant: constant once itm_ready() has returned, but for pid and has_seen, which
 * change in a forked child, before it has a second thread. */
struct itm_agent {
	struct itm_options options;
	enum itm_method method;
	bool has_counters;   /* libitm's own can be read */
	bool has_totals;     /* all aborts are counted, also those of transactions that are not measured */
	bool has_steady_tsc; /* the processor's time stamp runs at one speed, always */
	double probe_ns;     /* what measuring one transaction costs */
	/* 1: a transaction began in this process. Set by any thread in itm_begin(), read in
	 * itm_leave(); plain, since nothing else is published by it. */
	volatile AO_t has_seen;
	pid_t pid; /* of the process whose memory this is; a vfork child has another */
	struct native_module libitm, self, libc;
	uintptr_t entry; /* of the program: _start */
};
extern struct itm_agent itm_agent __attribute__((visibility("hidden")));

/* options.factor, for barriers.S. */
extern uint32_t itm_lock_factor;

/* True where data barriers are hooked, false in the light agent. */
bool itm_has_barriers(void);

#endif

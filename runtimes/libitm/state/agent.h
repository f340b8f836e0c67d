/* SPDX-License-Identifier: MIT
 *
 * The agent's state for the whole process: its own options, of STMLOG_OPTIONS and of what `stmlog record` hands over;
 * libitm's method; and which of libitm's data can be read. life.c decides them once, before the first transaction is
 * passed on to libitm.
 */
#ifndef ITM_AGENT_H
#define ITM_AGENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <atomic_ops.h>

#include "libitm_layout.h"
#include "loaded.h"

struct itm_options {
	uint32_t sample;          /* native_sample(); with NATIVE_SAMPLE_AUTO each thread chooses its own */
	uint32_t depth;           /* frames of a traceback */
	struct itm_layout layout; /* of the libitm given; all 0 where libitm's own data are not to be read */
};

/* Invariant: constant once itm_ready() has returned, except pid and has_seen, which change in a forked child before it
 * has a second thread. */
struct itm_agent {
	struct itm_options options;
	enum itm_method method;
	bool has_counters;   /* libitm's restart counters can be read */
	bool has_totals;     /* all aborts are counted, also those of transactions that are not measured */
	bool has_steady_tsc; /* the processor's time stamp counter always runs at the same speed */
	double probe_ns;     /* cost of measuring one transaction */
	uint32_t processors; /* stmlog_processors() */
	/* 1: a transaction has begun in this process. Any thread sets it in itm_begin_sampled(), itm_leave() reads it.
	 * It needs no memory order, since no other data are published by it. */
	volatile AO_t has_seen;
	pid_t pid; /* of this process; a vfork child, which shares the memory, has another one */
	struct native_module libitm, self, libc;
	uintptr_t entry; /* of the program: _start */
};
extern struct itm_agent itm_agent __attribute__((visibility("hidden")));

/* Reads the options, which the library knows once it is open. Warns on stderr of values that it does not understand,
 * and takes the defaults for those. */
struct itm_options itm_options_read(const struct native_module *libitm);

/* libitm's word that is not 0 while a thread holds the serial lock alone; where it is not known, a word that is always
 * 0. For begin.S. */
extern const volatile unsigned *itm_serial_word __attribute__((visibility("hidden")));

#endif

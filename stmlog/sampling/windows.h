/* SPDX-License-Identifier: MIT
 *
 * Which transactions are measured, where the runtime lets the library choose (stmlog_sampled()): all that a thread
 * begins in windows of time, and none between them. The windows of all threads lie at the same times, a shorter one
 * within a longer one, so that a transaction that is measured mostly conflicts with transactions that have left
 * origins.
 *
 * Time is divided into periods. A thread measures for PERIOD / w in each, from a moment that a hash of the period
 * chooses, and each transaction then stands for w. While measuring takes little of the thread's time, w is 1: the
 * window never closes, and all is exact. Otherwise w is the power of two that keeps it below BUDGET, by what the thread
 * has made in its last window (struct window_work), and by how much longer transactions take in windows than between
 * them, since the runtime does work of its own for the profiler. The option sample=N sets it.
 *
 * A thread does not read the clock for each transaction: it looks at the time after a number of transactions that it
 * expects to take half of the time to the next change. It may be late by a few transactions. As its window is as long
 * all the same, and begins no sooner for long transactions than for short ones, the sample stays right.
 *
 * Windows, not transactions, are what was chosen at random: so each window is one observation (sampled_end_window()).
 */
#ifndef STMLOG_WINDOWS_H
#define STMLOG_WINDOWS_H

#include <stdbool.h>
#include <stdint.h>

#include <atomic_ops.h>

enum { WINDOWS_PERIOD_NS = 16000000, WINDOWS_MAX_WEIGHT = 512 };

/* The work of the hooks for a thread: all of it so far, which only grows. */
struct window_work {
	uint64_t events;                    /* account_events() */
	uint64_t origins;                   /* that it has made */
	uint64_t origins_timed, origins_ns; /* how many of them were timed, and the time of these */
};

/* Transactions, the latest ones above all, and the time from the first of them to the end of the last one. */
struct window_pace {
	double transactions, ns;
};

/* Of a thread. All zero: the thread has asked for none yet.
 * Invariant: while the window is closed, `drawn` transactions at most begin before the thread looks at the time. */
struct window {
	bool is_open;
	uint32_t weight;     /* each transaction of the window stands for so many; 0: no window yet */
	uint64_t began_ns;   /* of the window, while it is open */
	uint64_t changes_ns; /* when it closes or, while it is closed, the next one opens */
	uint64_t looked_ns;
	double mean_ns;          /* from the beginning of a transaction to that of the next one, of the latest */
	struct window_work work; /* when the window opened, while it is open */
	struct window_pace between, within; /* of windows with a weight */
	volatile AO_t drawn;                /* transactions until the next look; read by any thread, as is `passed` */
	volatile AO_t passed; /* transactions that began while the window was closed, up to the last look */
};

/* Looks at the time after `drawn` transactions. Returns whether the window is open now, and sets `drawn`. `work`: that
 * of the thread so far. `fixed`: the weight that the user has chosen; 0: none. */
bool window_look(struct window *window, uint64_t now_ns, const struct window_work *work, uint32_t fixed);

#endif

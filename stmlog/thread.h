/* SPDX-License-Identifier: MIT
 *
 * One thread as the library sees it. Made at attach; at detach its account and its
 * timelog go to the registry, and the record is used again for a later thread.
 */
#ifndef STMLOG_THREAD_H
#define STMLOG_THREAD_H

#include <stmlog/runtime.h>

#include "account.h"
#include "ledger.h"

#define THREAD_NAME 16 /* as the kernel's */

struct stmlog_thread {
	/* Hot: touched by every hook. */
	struct account account;
	struct ledger ledger;
	uint32_t id;

	/* The pause or wait under way: its cause, and references to its tracebacks. */
	struct stmlog_loss interruption;

	volatile AO_t tracebacks_unavailable;
	struct tb_stack *stack;
	uint64_t lost_before;       /* what the stack had lost for the record's earlier threads */
	struct stmlog_timelog *log; /* what the report is made of; always active */
	char name[THREAD_NAME];

	/* Registry's, under its lock. */
	struct stmlog_thread *next;
	struct stmlog_thread **link; /* what points to us; NULL: in no list */
	size_t logs;                 /* timelogs of the user's that belong to it */
	bool is_ended;
};

/* Between the two, a thread that ends is detached, and `attached` is called when one attaches. Returns 0
 * or a negative errno. */
int thread_watch(void (*attached)(void));
void thread_unwatch(void);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The log of accesses: some transactions of each thread, access by access, with the program's own time between them.
 *
 * In a window (windows.h) the program's calls of begin, of commit and of the data barriers go to the hooks of
 * log_hooks.S, which note the call and pass it on. In a window the thread notes its transactions until it has logged
 * enough. Out of windows no transaction of the program comes here.
 *
 * A thread leaves out a random number of its first records, and ends after the transaction with which it has enough. If
 * it left out none, each of its logs would begin after a long transaction and end after another one, and long ones
 * would be too many.
 *
 * Time stamps are read after a fence, so that the time for which a barrier waits is in no gap.
 *
 * Invariants of a log:  records below `len` are of whole transactions, in order, and never change;
 *                       records from `len` to `next` are of the attempt under way, with gaps in ticks.
 */
#ifndef ITM_ACCESS_LOG_H
#define ITM_ACCESS_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/format.h>

#include "thread.h"

enum { ITM_ACCESS_RECORDS = 65536 };

/* The log of one thread. */
struct itm_access_log {
	uint64_t returned; /* time stamp when libitm has returned from the call before; 0: not known. For log_hooks.S */
	size_t len;        /* stored with release order: others read it, and the records below it */
	size_t next;       /* where the next record goes */
	uint64_t window;   /* in which the thread logs, or has logged last */
	uint64_t joined;   /* time stamp when it has joined that window */
	size_t started;    /* `len` then */
	size_t largest;    /* the largest number of records that it has of one window */
	size_t skipped;    /* the number of records still to be left out in that window */
	bool has_enough;   /* the thread has logged enough in that window */
	bool has_begun;    /* the transaction under way has made an access */
	bool is_dropped;   /* the transaction under way is not to be kept */
	bool is_full; /* some transaction had no room; nothing is logged any more, since only shorter ones would be */
	uint64_t first_gap; /* of the transaction's first attempt: before its first access, in ticks */
	uint64_t failures;  /* failed attempts of the transaction at its last access */
	struct stmlog_access_record records[ITM_ACCESS_RECORDS];
};

/* For log_hooks.S. A transaction is about to begin, with its properties, returning to `site`; an access of the kind
 * that stands in a row of barriers.def, with its arguments, is about to be made; commit is about to be called, and has
 * returned. */
void itm_log_begin(uint32_t properties, uintptr_t site);
void itm_log_access(uintptr_t first, uintptr_t second, size_t len, uint32_t row);
void itm_log_commit(void);
void itm_log_committed(void);

/* The transaction under way, of a thread that logs, may become irrevocable; libitm has returned from that, and it has,
 * or has not. The program cancels it. */
void itm_log_alone(struct itm_thread *self);
void itm_log_is_alone(struct itm_thread *self);
void itm_log_is_not_alone(struct itm_thread *self);
void itm_log_cancel(struct itm_thread *self);

/* The thread ends. */
void itm_log_leave(struct itm_thread *self);

/* In a forked child: nothing is logged yet. */
void itm_log_after_fork(void);

#endif

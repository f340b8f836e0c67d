/* SPDX-License-Identifier: MIT
 *
 * Plain transactions: at their commit the agent only stores that they commit, and counts them. They are neither sampled
 * nor nested, and run in software; and either under ml_wt and not alone, or while no other thread has transacted, which
 * could wait for them. commit.c commits them on a fast path. Any transaction may take the slow path, which does all
 * that the fast path does.
 *
 * One comparison tells that a transaction runs under ml_wt, in software, not alone, and that no thread wants time
 * stamps of commits (others.h): its dispatch object is the one that is named here.
 *
 * Invariant: itm_plain.dispatch is ml_wt's dispatch object, scrambled as libitm does; or, while stamps are wanted,
 * and where libitm's is not known, a word that is no transaction's. itm_plain.solo is that of
 * the last transaction that took the slow path while there was only one ring; otherwise such a word.
 */
#ifndef ITM_PLAIN_H
#define ITM_PLAIN_H

#include <atomic_ops.h>

/* Any thread stores it. It needs no memory order, since no other data are published by it. A store that is lost,
 * because two threads want stamps, costs some stamps; the last store is always that of a thread that wants none any
 * more. */
struct itm_plain {
	volatile AO_t dispatch, solo;
};
extern struct itm_plain itm_plain __attribute__((visibility("hidden")));

/* Finds out the dispatch object of plain transactions, by itm_locks: a later change of that is not seen. Before the
 * first transaction. */
void itm_plain_prepare(void);

/* From here on all transactions take the slow path; or no longer. */
void itm_plain_pause(void);
void itm_plain_resume(void);

/* From here on, transactions like the calling thread's are plain if its ring is the only one. One that is under way
 * while another thread begins to transact may still count as plain: that thread does not know for whom it waits.
 * Requires itm_plain_prepare(). */
void itm_plain_solo(void);

/* A thread has a ring, and is about to transact. */
void itm_plain_joined(void);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Hardware transactions (Intel RTM). libitm does not report them: its begin, in assembly, tries a transaction twice in
 * hardware before it runs the transaction alone, and only that assembly learns how a try ends. So where libitm may use
 * hardware transactions, the agent replaces that assembly by hardware_begin.S, which does the same and calls the
 * functions below.
 *
 * The steps of one transaction, and the calls:
 *
 *   try in hardware         no call, no data of libitm's is written
 *     the try fails         itm_hardware_aborted(): counts it; if the transaction is measured, keeps the time
 *     GTM_begin_transaction(), libitm's, waits for the serial lock and decides:
 *       try again           itm_hardware_tries_again()
 *       run alone           itm_hardware_runs_alone(): names the thread as the holder of the serial lock
 *   commit                  hardware_report.c reports the kept tries to the library
 *
 * Failed tries are reported after commit and not when they happen: a thread that takes longer between two tries, or
 * holds the serial lock for longer, makes other transactions abort two to four times as often (measured). A later abort
 * does not undo what was kept: it rolls back to the beginning of its own try, and earlier tries were kept before that.
 */
#ifndef ITM_HARDWARE_H
#define ITM_HARDWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "method.h"

struct itm_thread;

/* ---- hardware_install.c ---- */

/* Replaces libitm's begin by hardware_begin.S, if libitm may use hardware transactions and its begin is a known one.
 * Requires itm_resolve(); before the first transaction. */
void itm_hardware_install(enum itm_method method);

/* ---- hardware.c ---- */

/* Writes the process's counts of hardware transactions into the recording, as facts. */
void itm_hardware_set_facts(void);

/* For hardware_begin.S. `status` is what the processor left in eax. `has_tried`: a try in hardware has failed before.
 */
void itm_hardware_aborted(uint32_t status);
void itm_hardware_tries_again(void);
void itm_hardware_runs_alone(bool has_tried);

/* The calling thread's outermost transaction has committed in hardware. */
void itm_hardware_count_commit(struct itm_thread *self);

/* The calling thread's transaction is about to release the serial lock. */
void itm_hardware_release_serial(struct itm_thread *self);

/* In a forked child: counts are 0 again, and no other thread holds the serial lock. */
void itm_hardware_after_fork(void);

/* ---- hardware_report.c ---- */

/* The present time: in ticks of the time stamp counter; in nanoseconds if that does not always run at the same speed.
 */
uint64_t itm_hardware_now(void);

/* The transaction has just committed: reports its failed tries, and then the commit, to the library. */
void itm_hardware_report(struct itm_thread *self);

#endif

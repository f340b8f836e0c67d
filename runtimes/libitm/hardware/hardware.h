/* SPDX-License-Identifier: MIT
 *
 * Hardware transactions (Intel RTM), of which libitm tells nobody. Its begin tries them twice in assembly before it
 * falls back to running alone; what becomes of a try is known to that assembly only. So where libitm may use them, a
 * begin of ours (hardware_begin.S) takes the place of that assembly, does what it did, and tells of each try.
 *
 * The order of one transaction, and what is called where:
 *
 *   try                     in hardware: nothing is called, nothing of libitm's is written
 *     fails                 itm_hardware_aborted(): counted; of a measured one, the stamp is kept
 *     libitm is asked, and waits for the serial lock: GTM_begin_transaction()
 *       try again           itm_hardware_tries_again()
 *       run alone           itm_hardware_runs_alone(): the ring is published as the serial lock's holder
 *   commit                  what was kept is told to the library (hardware_tell.c)
 *
 * Told after commit, and not when it happens: whoever is slow then, or holds the serial lock for longer, makes others
 * abort, two to four times as many (measured). What is kept is rolled back by no abort, since an abort comes back to
 * where the try began, and that lies behind the keeping of those before.
 */
#ifndef ITM_HARDWARE_H
#define ITM_HARDWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "method.h"

struct itm_thread;

/* ---- hardware_install.c ---- */

/* Puts hardware_begin.S before libitm, if that may use hardware transactions and its begin is one that is known. */
void itm_hardware_install(enum itm_method method);

/* ---- hardware.c ---- */

/* Says what has become of all tries of the process. */
void itm_hardware_set_facts(void);

/* Called by hardware_begin.S. `status` is what the processor left in eax. */
void itm_hardware_aborted(uint32_t status);
void itm_hardware_tries_again(void);
void itm_hardware_runs_alone(bool has_tried);

/* The calling thread's outermost transaction has committed in hardware. */
void itm_hardware_count_commit(struct itm_thread *self);

/* The calling thread's transaction is about to give back the serial lock. */
void itm_hardware_lets_go(struct itm_thread *self);

/* In a forked child. */
void itm_hardware_after_fork(void);

/* ---- hardware_tell.c ---- */

/* Ticks of the processor's, or nanoseconds where those have no steady rate. */
uint64_t itm_hardware_now(void);

/* The transaction has committed, just now: tells of its failed tries, and then of the commit. */
void itm_hardware_tell(struct itm_thread *self);

#endif

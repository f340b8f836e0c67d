/* SPDX-License-Identifier: MIT
 *
 * Timed transactions. Measuring a transaction closely changes it: while a failed attempt is looked into, the other
 * transaction goes on, and the next attempt succeeds. So half of the sampled transactions or more are only timed.
 * begin.S reads the time stamp before libitm's begin, and at each return of it; commit's hook reads it before and
 * after. Nothing else happens, and the attempts fail as often as those of transactions that are not measured.
 */
#ifndef ITM_STOPWATCH_H
#define ITM_STOPWATCH_H

#include <stdint.h>

#include "thread.h"

/* Measures what reading the time stamp costs. Requires agent.has_steady_tsc. */
void itm_stopwatch_prepare(void);

/* For begin.S: libitm's begin has returned, and the thread was interrupted since the last look. */
void itm_stopwatch_returned(void);

/* Moves all time stamps up to now: what a look since begin's last return has taken is no time of the transaction. */
void itm_stopwatch_leave_out_look(struct itm_stopwatch *watch);

/* The thread was interrupted in the timed transaction under way, since begin's last return. The transaction is about to
 * commit. */
void itm_stopwatch_interrupted(struct itm_thread *self);

/* The timed transaction under way has committed. `ended`: the time stamp after libitm's commit. */
void itm_stopwatch_committed(struct itm_thread *self, uint64_t ended);

/* All attempts of the timed transaction under way have failed up to begin's last return: reports them. */
void itm_stopwatch_failed(void);

/* For begin.S: the program has cancelled the timed transaction under way. */
void itm_stopwatch_cancelled(void);

#endif

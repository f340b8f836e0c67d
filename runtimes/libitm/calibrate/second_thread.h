/* SPDX-License-Identifier: MIT
 * The second thread of the experiments: it makes one transaction at a time, when the caller orders it, and the caller
 * waits for it. Only one thread may call these functions. The second thread ends with the process. */
#ifndef ITM_CALIBRATE_SECOND_THREAD_H
#define ITM_CALIBRATE_SECOND_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "transact.h"

/* Starts the second thread and has it transact once. To be called first. False: it could not be started. */
bool second_thread_start(void);

/* Has the second thread begin a transaction, write the word in it (word NULL: become irrevocable instead), and call the
 * callback within it (NULL: nothing is called). Returns while the transaction is under way. */
void second_thread_begin(uint64_t *word, transact_callback *callback, void *argument);

/* Has the second thread commit. To be called once after each second_thread_begin(). */
void second_thread_commit(void);

#endif

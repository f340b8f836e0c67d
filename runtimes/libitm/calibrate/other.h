/* SPDX-License-Identifier: MIT
 * The second thread of the experiments: it makes one transaction at a time, when the caller orders it, and the caller
 * waits for it. Only one thread may call these functions. The second thread ends with the process. */
#ifndef ITM_CALIBRATE_OTHER_H
#define ITM_CALIBRATE_OTHER_H

#include <stdbool.h>
#include <stdint.h>

#include "transact.h"

/* Starts the second thread and has it transact once. To be called first. False: it could not be started. */
bool other_start(void);

/* other_begin(): has the second thread begin a transaction, write the word in it (word NULL: be irrevocable instead),
 * and call look(of) within it (look NULL: nothing). Returns while the transaction is under way. other_end(): has it
 * commit; to be called once after each other_begin(). */
void other_begin(uint64_t *word, transact_look *look, void *of);
void other_end(void);

#endif

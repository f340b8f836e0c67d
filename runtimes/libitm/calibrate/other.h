/* SPDX-License-Identifier: MIT
 * The second thread: it makes one transaction at a time, on demand, and the caller waits for it. */
#ifndef ITM_CALIBRATE_OTHER_H
#define ITM_CALIBRATE_OTHER_H

#include <stdbool.h>
#include <stdint.h>

#include "transact.h"

/* Starts the thread and has it transact once. False: it could not be started. */
bool other_start(void);

/* other_begin(): has the thread begin a transaction, write the word in it (NULL: be irrevocable instead), and call
 * `look` within it. Returns while the transaction is under way. other_end(): has it commit. */
void other_begin(uint64_t *word, transact_look *look, void *of);
void other_end(void);

#endif

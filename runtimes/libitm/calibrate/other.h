/* SPDX-License-Identifier: MIT
 * The second thread: it does one thing at a time, when it is told to, and is waited for. */
#ifndef ITM_CALIBRATE_OTHER_H
#define ITM_CALIBRATE_OTHER_H

#include <stdbool.h>
#include <stdint.h>

#include "transact.h"

/* Starts it and has it transact once. */
bool other_start(void);

/* Has it write the word in a transaction (NULL: transact alone), and look meanwhile; and end the transaction. */
void other_begin(uint64_t *word, transact_look *look, void *of);
void other_end(void);

#endif

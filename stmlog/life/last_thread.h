/* SPDX-License-Identifier: MIT
 * Whether the calling thread, which is none of the program's, is the only one left in the process: as long as it runs,
 * the process does not end. */
#ifndef STMLOG_LAST_THREAD_H
#define STMLOG_LAST_THREAD_H

#include <stdbool.h>

/* Asks /proc; without it, false. */
bool last_thread_is_caller(void);

#endif

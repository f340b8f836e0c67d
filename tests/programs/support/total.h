/* SPDX-License-Identifier: MIT
 *
 * A shared number and transactions on it, for programs that test how threads and processes begin and end.
 */
#ifndef TOTAL_H
#define TOTAL_H

#include <stdint.h>

enum { TOTAL_ROUNDS = 300 };

/* Each call is one transaction. */
void total_add(uint64_t amount);
uint64_t total_read(void);

/* A body for program_run(): TOTAL_ROUNDS times total_add(number + 1). */
void total_rounds(unsigned number);

/* The sum that so many threads add by total_rounds(). */
uint64_t total_expected(unsigned threads);

#endif

/* SPDX-License-Identifier: MIT
 *
 * One shared number and the transactions on it, for programs that are about
 * something else: how threads and processes begin and end.
 */
#ifndef TOTAL_H
#define TOTAL_H

#include <stdint.h>

enum { TOTAL_ROUNDS = 300 };

/* One transaction each. */
void total_add(uint64_t amount);
uint64_t total_read(void);

/* A body for program_run(): TOTAL_ROUNDS times total_add(number + 1). */
void total_rounds(unsigned number);

/* What that many threads with total_rounds() add. */
uint64_t total_expected(unsigned threads);

#endif

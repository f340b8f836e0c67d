/* SPDX-License-Identifier: MIT
 *
 * Random transactions of several threads, compared with the same transactions done one after the other on a plain
 * array. Each takes a number from an object that all of them write, so the order in which they took effect is known. */
#ifndef TESTS_MODEL_H
#define TESTS_MODEL_H

#include "stm_session.h"

#define MODEL_TRANSACTIONS_MAX 20000

/* Fails the test if the transactions, so many in each thread, do not read and leave what those on the array do. */
void model_test(uint32_t transactions);

#endif

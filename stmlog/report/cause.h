/* SPDX-License-Identifier: MIT
 * The names of causes and grades, from the numbers that a file holds; "?" for a number of a later version. */
#ifndef CAUSE_H
#define CAUSE_H

#include <stdbool.h>
#include <stdint.h>

const char *cause_reason_name(uint32_t reason);
const char *cause_contention_name(uint32_t contention);
const char *cause_grade_name(uint32_t grade);

/* The reasons whose time is an account's aborted time. */
bool cause_is_abort(uint32_t reason);

#endif

/* SPDX-License-Identifier: MIT
 * Names of causes and grades, from the numbers in a recording. */
#ifndef CAUSE_H
#define CAUSE_H

#include <stdbool.h>

#include <stmlog/read.h>

/* "?" for a number that this version does not know. */
static inline const char *cause_reason_name(uint32_t reason)
{
	return stmlog_reason_name(reason);
}

static inline const char *cause_contention_name(uint32_t contention)
{
	return stmlog_contention_name(contention);
}

static inline const char *cause_grade_name(uint32_t grade)
{
	return stmlog_grade_name(grade);
}

/* Whether the account counts the time of such losses as aborted. */
static inline bool cause_is_abort(uint32_t reason)
{
	return reason == STMLOG_SELF_ABORT || reason == STMLOG_ABORTED_BY_OTHER || reason == STMLOG_USER_ABORT;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * Claims that any thread may make: cmocka's assertions are for the main thread. A claim that does not hold is printed
 * and counted, and its thread goes on. */
#ifndef TESTS_CLAIMS_H
#define TESTS_CLAIMS_H

#include <stdio.h>

#include <atomic_ops.h>

/* Claims that did not hold. */
static volatile AO_t defects;

#define claim(condition) ((condition) ? (void)0 : claims_count(#condition))

static inline void claims_count(const char *text)
{
	fprintf(stderr, "does not hold: %s\n", text);
	AO_fetch_and_add1(&defects);
}

#endif

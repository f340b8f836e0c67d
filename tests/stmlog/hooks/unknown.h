/* SPDX-License-Identifier: MIT
 * The claim that the other side of a loss is unknown. */
#ifndef TESTS_UNKNOWN_H
#define TESTS_UNKNOWN_H

#include "opponent.h"
#include "thread.h"

/* `unavailable`: how many tracebacks the test's thread did not get until now. */
static inline void assert_unknown(const struct stmlog_entry *entry, uint64_t unavailable)
{
	assert_ptr_equal(entry->remote, TB_UNKNOWN);
	assert_int_equal(AO_load(&me()->tracebacks_unavailable), unavailable);
}

#endif

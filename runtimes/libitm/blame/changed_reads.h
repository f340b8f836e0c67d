/* SPDX-License-Identifier: MIT
 *
 * The transaction that has written to data which a failed attempt had read. libitm tells that a read is out of date,
 * but not which one. So a culprit found here is a candidate at most.
 */
#ifndef ITM_CHANGED_READS_H
#define ITM_CHANGED_READS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "culprit.h"

/* The reads of an attempt, in their order, as the read barriers record them: the address, with the size above. */
struct itm_reads {
	const uint64_t *items;
	size_t len;
	bool is_cut; /* the list was full: there may have been more reads */
};

/* `scratch` is ITM_LOCKS bits, all clear before and afterwards. */
struct itm_culprit itm_culprit_of_reads(const struct itm_victim *victim, struct itm_reads reads, uint64_t *scratch);

#endif

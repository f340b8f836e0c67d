/* SPDX-License-Identifier: MIT
 *
 * Who has written to what an attempt had read. libitm says that some read is out of date, and not which one: so a
 * culprit found here is a candidate at most.
 */
#ifndef ITM_CHANGED_READS_H
#define ITM_CHANGED_READS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "culprit.h"

/* What an attempt has read, in order, as the read barriers have left it: address, size above. */
struct itm_reads {
	const uint64_t *at;
	size_t len;
	bool is_cut; /* there may be more */
};

/* Who has written to what was read; `scratch` is ITM_LOCKS bits, all clear, and is so afterwards. */
struct itm_culprit itm_culprit_of_reads(const struct itm_victim *victim, struct itm_reads reads, uint64_t *scratch);

#endif

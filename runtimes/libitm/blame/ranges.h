/* SPDX-License-Identifier: MIT
 *
 * The bytes of an access, and how two accesses overlap: in the same bytes, only in a stripe, or only in the lock of two
 * stripes.
 */
#ifndef ITM_RANGES_H
#define ITM_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stmlog/read.h>

#include "libitm_layout.h"
#include "ring.h"
#include "thread.h"

struct itm_range {
	uintptr_t address;
	size_t size;
};

/* The bytes of an entry in the list of reads. */
static inline struct itm_range itm_read_range(const struct itm_read *read)
{
	return (struct itm_range){
		read->access & ITM_RING_ADDRESS, (read->access >> ITM_READ_SIZE_SHIFT) ^ ITM_READ_SIZE};
}

static inline uintptr_t itm_first_stripe(struct itm_range range)
{
	return itm_stripe(range.address);
}

static inline uintptr_t itm_last_stripe(struct itm_range range)
{
	return itm_stripe(range.address + (range.size != 0 ? range.size - 1 : 0));
}

static inline bool has_lock(struct itm_range range, uint32_t lock)
{
	for (uintptr_t stripe = itm_first_stripe(range); stripe <= itm_last_stripe(range); stripe++)
		if (itm_lock_of_stripe(stripe) == lock)
			return true;
	return false;
}

/* True if a stripe of `mine` and a stripe of `theirs` have one lock. Nearly always each has one stripe. */
static inline bool itm_ranges_share_lock(struct itm_range mine, struct itm_range theirs)
{
	for (uintptr_t stripe = itm_first_stripe(mine); stripe <= itm_last_stripe(mine); stripe++)
		if (has_lock(theirs, itm_lock_of_stripe(stripe)))
			return true;
	return false;
}

/* How two ranges overlap whose accesses have conflicted. If they have no stripe in common, it was by a lock of two
 * stripes. */
static inline enum stmlog_overlap itm_overlap(struct itm_range mine, struct itm_range theirs)
{
	if (mine.address < theirs.address + theirs.size && theirs.address < mine.address + mine.size)
		return STMLOG_OVERLAP_SAME;
	if (itm_first_stripe(mine) <= itm_last_stripe(theirs) && itm_first_stripe(theirs) <= itm_last_stripe(mine))
		return STMLOG_OVERLAP_STRIPE;
	return STMLOG_OVERLAP_ALIAS;
}

static inline struct itm_range itm_range_of(const struct itm_write *write)
{
	return (struct itm_range){write->address, write->size};
}

#endif

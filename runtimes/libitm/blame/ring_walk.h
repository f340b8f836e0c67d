/* SPDX-License-Identifier: MIT
 *
 * The writes of another thread that may have been in the way of a failed attempt: a walk through its ring, from the
 * head back to the last transaction that ended before the attempt began.
 */
#ifndef ITM_RING_WALK_H
#define ITM_RING_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "ring.h"

struct itm_ring_walk {
	struct itm_ring_reader reader;
	uint64_t head;
	uint64_t began;
	uintptr_t site;    /* where the write's transaction began, if it is over */
	uint64_t stamp;    /* when it ended */
	bool is_under_way; /* it is not over */
	bool is_cut;       /* the ring does not reach back that far */
};

static inline struct itm_ring_walk itm_ring_walk_begin(const struct itm_ring *ring, uint64_t began)
{
	struct itm_ring_walk walk = {.reader = itm_ring_read(ring), .began = began, .is_under_way = true};
	walk.head = walk.reader.position;
	return walk;
}

/* Goes to the write before; false: there is none that matters. */
static inline bool itm_ring_walk_back(struct itm_ring_walk *walk)
{
	while (itm_ring_back(&walk->reader)) {
		if (!walk->reader.is_end)
			return true;
		if (walk->reader.stamp < walk->began)
			return false;
		walk->is_under_way = false;
		walk->site = walk->reader.write.site;
		walk->stamp = walk->reader.stamp;
	}
	walk->is_cut = walk->reader.floor > AO_load(&walk->reader.ring->floor);
	return false;
}

/* False: entries from position `from` on may have been overwritten while they were read, or the ring has a new owner.
 */
static inline bool itm_ring_walk_was_right(const struct itm_ring_walk *walk, uint64_t from)
{
	const struct itm_ring *ring = walk->reader.ring;
	return itm_ring_was_whole(ring, from) && AO_load(&ring->floor) <= from;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * The writes of another thread that a failed attempt may have met: its ring, from the head back to the first
 * transaction that ended before the attempt began.
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
	uintptr_t site;    /* of the transaction that the write belongs to, if it is over */
	uint64_t stamp;    /* when it ended */
	bool is_under_way; /* it is not over */
	bool is_cut;       /* the ring does not reach back as far */
};

static inline struct itm_ring_walk itm_ring_walk_begin(const struct itm_ring *ring, uint64_t began)
{
	struct itm_ring_walk walk = {.reader = itm_ring_read(ring), .began = began, .is_under_way = true};
	walk.head = walk.reader.at;
	return walk;
}

/* The write before; false: no further one matters. */
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

/* False: what was read at `from` may be garbage, since the owner came round meanwhile, or a new one came. */
static inline bool itm_ring_walk_was_right(const struct itm_ring_walk *walk, uint64_t from)
{
	const struct itm_ring *ring = walk->reader.ring;
	return itm_ring_was_whole(ring, from) && AO_load(&ring->floor) <= from;
}

#endif

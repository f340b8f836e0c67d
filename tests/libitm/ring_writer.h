/* SPDX-License-Identifier: MIT
 * Writes to rings in C, in the way of barriers.S. */
#ifndef RING_WRITER_H
#define RING_WRITER_H

#include "ring.h"

static inline void ring_write(struct itm_ring *ring, const struct itm_write *write)
{
	AO_t head = AO_load(&ring->head);
	struct itm_ring_entry *entry = &ring->entries[head % ITM_RING_BYTES / sizeof *entry];
	AO_store(&entry->address, write->address | (AO_t)write->context << 48);
	AO_store(&entry->site, write->site | (AO_t)write->size << 48);
	AO_store_release(&ring->head, head + sizeof *entry);
}

/* A transaction with one write that ends at `stamp`. */
static inline void ring_transaction(
	struct itm_ring *ring, uintptr_t site, uintptr_t address, size_t size, uint64_t stamp)
{
	AO_store(&ring->site, site);
	ring_write(ring, &(struct itm_write){address, size, site + 1, 0});
	itm_ring_append_end(ring, stamp);
}

#define assert_write_equal(reader, expected)                                    \
	do {                                                                    \
		assert_false((reader)->is_end);                                 \
		assert_int_equal((reader)->write.address, (expected)->address); \
		assert_int_equal((reader)->write.size, (expected)->size);       \
		assert_int_equal((reader)->write.site, (expected)->site);       \
		assert_int_equal((reader)->write.context, (expected)->context); \
	} while (0)

#endif

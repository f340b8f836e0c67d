/* SPDX-License-Identifier: MIT
 *
 * Blocks of allocated memory, and the search for the block that covers an address.
 *
 * A block stays known after it was freed, until its memory is allocated again or its room is needed: blocks are
 * searched at the end of a run, when their memory may be free. So blocks may overlap. At most the newest of them is not
 * freed, and the newest is the answer. To make room, the block that was freed first is forgotten; so no block is
 * forgotten before an older one that it covers.
 *
 * One thread at a time may call; the caller has to ensure that.
 */
#ifndef OBJECTS_TABLE_H
#define OBJECTS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects.h"

struct table;

/* The size in bytes of a table for `cap` blocks. Memory for blocks that are never used is never touched. */
size_t table_size(uint32_t cap);

/* Makes an empty table in zeroed memory of that size, aligned to 16. */
struct table *table_init(void *memory, uint32_t cap);

/* Adds a block that was allocated; `place` is a number of the caller's. If there is no room, the block is only counted.
 */
void table_add(struct table *table, uintptr_t start, size_t size, uint32_t place);

/* table_free(): the block that starts there is about to be freed. table_undo_free(): it was not freed after all. Both
 * do nothing if no such block is known. */
void table_free(struct table *table, uintptr_t start);
void table_undo_free(struct table *table, uintptr_t start);

struct table_block {
	uintptr_t start;
	size_t size;
	uint32_t place;
	bool is_freed;
};

/* The newest block that covers the address; false: none. */
bool table_find(const struct table *table, uintptr_t address, struct table_block *found);

struct objects_counts table_counts(const struct table *table);

#endif

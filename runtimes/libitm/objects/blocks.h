/* SPDX-License-Identifier: MIT
 *
 * Blocks of allocated memory: the search for the block that covers an address, and the places where blocks were
 * allocated.
 *
 * One thread at a time may call, the caller has to ensure that; but any thread may call where_now().
 */
#ifndef OBJECTS_BLOCKS_H
#define OBJECTS_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects.h"

/* ---- the table of blocks ---- */

/* A block stays known after it was freed, until its memory is allocated again or its room is needed: blocks are
 * searched at the end of a run, when their memory may be free. So blocks may overlap. At most the newest of them is not
 * freed, and the newest is the answer. To make room, the block that was freed first is forgotten; so no block is
 * forgotten before an older one that it covers. */
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

/* ---- places and their numbers ---- */

/* A program allocates at few places, again and again. So they are kept for good; and a stack is unwound only the first
 * time, and recognised by its return addresses afterwards. The agent does the same with stacks of failed attempts
 * (native/cache.h). */

#define PLACES_FRAMES 12
#define PLACES_MAX 16384u

/* Return addresses, innermost first. */
struct place {
	uint32_t len;
	bool is_whole; /* no frame is missing at the outer end */
	uintptr_t frames[PLACES_FRAMES];
};

/* The number of a place, above 0; equal places have the same. 0: it has no frames, or there is no room. */
uint32_t places_number(const struct place *place);

/* The place with that number; NULL for 0. Requires a number below PLACES_MAX. */
const struct place *places_at(uint32_t number);

/* ---- the place where the calling thread is ---- */

/* A stack that a thread remembers.
 * Invariants:  number != 0  =>  it is the number of `place`;
 *              slots[0] != NULL  =>  each slot held the return address of its frame. NULL: the stack cannot be
 *              recognised. */
struct where {
	uint32_t number; /* of the place; 0: not known yet */
	struct place place;
	const uintptr_t *slots[PLACES_FRAMES];
};

/* The stack from the return address in `slot` outwards; `slot` must be on the calling thread's stack. Borrowed until
 * the thread's next call. The caller may set `number`. */
struct where *where_now(const uintptr_t *slot);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Which memory was allocated: blocks by where they start, and the one that an address lies in.
 *
 * A block stays known after it was freed, until its memory is allocated again or its room is needed: who
 * asks at the end of a run asks for memory that may be free by then. So blocks may overlap, of which at
 * most the newest is not freed: the newest is the answer. Room is made by giving up the block that was
 * freed first, so that one never goes before another that it covers.
 *
 * One thread at a time; the caller sees to that.
 */
#ifndef OBJECTS_TABLE_H
#define OBJECTS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table;

/* How many bytes a table of `cap` blocks takes; those that are never used are never touched. */
size_t table_size(uint32_t cap);

/* Makes an empty table in zeroed memory of that size, aligned to 16. */
struct table *table_init(void *memory, uint32_t cap);

/* Memory was allocated; `place` is the caller's. Does nothing but count where there is no room. */
void table_add(struct table *table, uintptr_t start, size_t size, uint32_t place);

/* The block that starts there is about to be freed, or, after all, was not. None that is known: nothing. */
void table_free(struct table *table, uintptr_t start);
void table_keep(struct table *table, uintptr_t start);

struct table_block {
	uintptr_t start;
	size_t size;
	uint32_t place;
	bool is_freed;
};

/* The newest block that covers the address; false: none. */
bool table_find(const struct table *table, uintptr_t address, struct table_block *found);

struct table_counts {
	uint64_t missing;   /* not added */
	uint64_t forgotten; /* given up */
};
struct table_counts table_counts(const struct table *table);

#endif

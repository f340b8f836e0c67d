/* SPDX-License-Identifier: MIT
 *
 * A hash table of entries that have an id: chains, of which each program knows what its entries are.
 *
 * Invariant, outside transactions: an entry is in chain id % chains_len, and no id is there twice.
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tm.h"

/* What is in a table begins with this, and is from malloc(). */
struct table_entry {
	struct table_entry *next;
	long id;
};

struct table {
	struct table_entry **chains;
	size_t chains_len;
};

/* For some `limit` entries, by which the length of a chain comes to be 4. Exits with status 2 where there is no memory.
 */
void table_open(struct table *table, size_t limit);

/* Frees the entries too. */
void table_close(struct table *table);

/* The link to the entry with this id; one that leads to NULL where there is none. */
TM_SAFE struct table_entry **table_find(const struct table *table, long id);

/* Makes an entry of `size` bytes, zero but for the id, at a link that leads to NULL. Returns NULL where there is no
 * memory. */
TM_SAFE void *table_add(struct table_entry **end, long id, size_t size);

/* Whether all entries are where they belong, and are right in the eyes of `is_right`; adds their number to *len. */
bool table_check(const struct table *table, bool (*is_right)(const struct table_entry *entry), int64_t *len);

#endif

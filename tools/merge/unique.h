/* SPDX-License-Identifier: MIT
 * Distinct pieces of bytes, numbered in the order of their first look-up and kept one behind the other; and records
 * that have such pieces for keys. */
#ifndef UNIQUE_H
#define UNIQUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dictionary.h"

/* An empty one is zeroed. Invariant: piece i is bytes[at[i] .. at[i + 1]), and the last one ends at len. */
struct unique {
	uint8_t *bytes;
	size_t len, cap;
	size_t *at;
	size_t count, at_cap;
	struct hash_slots slots;
};

/* Returns the number of the piece, which is added if it is new: then its number is the former count. */
size_t unique_find(struct unique *unique, const void *piece, size_t len);
void unique_fini(struct unique *unique);

/* The same in two steps. In a large table each piece lies in memory that is in no cache of the processor. So the caller
 * prefetches the slots of some pieces first, which the processor loads at the same time; then finds the pieces by the
 * hashes that unique_prefetch() has returned. */
uint32_t unique_prefetch(const struct unique *unique, const void *piece, size_t len);
size_t unique_find_prefetched(struct unique *unique, const void *piece, size_t len, uint32_t hash);

/* Makes room for `count` pieces in all, of `len` bytes together, so that the table does not grow step by step. */
void unique_reserve(struct unique *unique, size_t count, size_t len);

/* Invariant: record i is that of key i. */
struct keyed {
	struct unique keys;
	size_t size; /* of a record */
	void *records;
	size_t cap;
};

/* Returns the record of the key; a new one is zeroed. Valid until the next call. */
void *keyed_find(struct keyed *keyed, const void *key, size_t len, bool *is_new);
/* The same for a key whose hash unique_prefetch() has returned; returns the number of the record. */
size_t keyed_find_prefetched(struct keyed *keyed, const void *key, size_t len, uint32_t hash, bool *is_new);
void keyed_reserve(struct keyed *keyed, size_t count, size_t key_len);
void keyed_fini(struct keyed *keyed);

static inline void *keyed_at(const struct keyed *keyed, size_t number)
{
	return (char *)keyed->records + number * keyed->size;
}

static inline size_t keyed_count(const struct keyed *keyed)
{
	return keyed->keys.count;
}

#endif

/* SPDX-License-Identifier: MIT
 * Distinct pieces of bytes, numbered in the order of their first look-up and kept one behind the other; and records
 * that have such pieces for keys. */
#ifndef UNIQUE_H
#define UNIQUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unique_slot {
	uint32_t hash;          /* the lower bits of hash_of() */
	uint32_t number_plus_1; /* of the piece; 0: the slot is free */
};

/* A hash table with open addressing. An empty one is zeroed. Invariants: piece i is bytes[at[i] .. at[i + 1]), and the
 * last one ends at len; slot_count is a power of two; at most three quarters of the slots are not free. */
struct unique {
	uint8_t *bytes;
	size_t len, cap;
	size_t *at;
	size_t count, at_cap;
	struct unique_slot *slots;
	size_t slot_count;
};

/* Returns the number of the piece, which is added if it is new: then its number is the former count. */
size_t unique_find(struct unique *unique, const void *piece, size_t len);
void unique_fini(struct unique *unique);

/* Invariant: record i is that of key i. */
struct keyed {
	struct unique keys;
	size_t size; /* of a record */
	void *records;
	size_t cap;
};

/* Returns the record of the key; a new one is zeroed. Valid until the next call. */
void *keyed_find(struct keyed *keyed, const void *key, size_t len, bool *is_new);
void keyed_fini(struct keyed *keyed);

static inline size_t keyed_count(const struct keyed *keyed)
{
	return keyed->keys.count;
}

#endif

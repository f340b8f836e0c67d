/* SPDX-License-Identifier: MIT
 * Pieces of bytes, each once, numbered in the order in which they came and kept one behind the other; and records by
 * such pieces, their keys: what a merge adds up. */
#ifndef UNIQUE_H
#define UNIQUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Invariants: piece i is bytes[at[i] .. at[i + 1]), the last one ends at len; `slots` is a power of two, at most
 * three quarters of which hold the number of a piece and 1; 0: free. An empty one is zeroed. */
struct unique {
	uint8_t *bytes;
	size_t len, cap;
	size_t *at;
	size_t count, at_cap;
	uint32_t *slots;
	size_t slot_count;
	uint64_t seed; /* of the hash: nobody makes files of which all pieces collide */
};

/* The piece's number; it is the former count where the piece is new. */
size_t unique_find(struct unique *unique, const void *piece, size_t len);
void unique_fini(struct unique *unique);

/* Invariant: record i is that of key i. */
struct keyed {
	struct unique keys;
	size_t size; /* of a record */
	void *records;
	size_t cap;
};

/* The record of the key; a new one is zeroed. It stays where it is until the next call. */
void *keyed_find(struct keyed *keyed, const void *key, size_t len, bool *is_new);
void keyed_fini(struct keyed *keyed);

static inline size_t keyed_count(const struct keyed *keyed)
{
	return keyed->keys.count;
}

#endif

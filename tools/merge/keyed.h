/* SPDX-License-Identifier: MIT
 * Records by key: what is summed up. */
#ifndef KEYED_H
#define KEYED_H

#include <stdbool.h>

#include "unique.h"

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

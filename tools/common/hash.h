/* SPDX-License-Identifier: MIT
 * The hash table of the command. It finds numbers, from 0 on, of items that its owner has in an array.
 *
 * Hashes depend on a random number of the process: so no file can be made whose texts collide. */
#ifndef HASH_H
#define HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check.h"

uint64_t hash_of(const void *bytes, size_t len);

struct hash_slot {
	uint32_t hash;          /* the lower bits of hash_of() */
	uint32_t number_plus_1; /* of the item; 0: the slot is free */
};

/* Open addressing. An empty one is zeroed. Invariants: len is 0 or a power of two; at most three quarters of the slots
 * are not free. */
struct hash_slots {
	struct hash_slot *at;
	size_t len;
};

/* Makes room for `count` items in all. Ends the command without memory. */
void hash_slots_reserve(struct hash_slots *slots, size_t count);
void hash_slots_fini(struct hash_slots *slots);

/* Whether the item with this number is the one that is looked for. */
typedef bool hash_is_same(const void *wanted, size_t number);

/* The slot of the item, or the free slot for it. Requires hash_slots_reserve() for one item more than there are.
 * Inline, and so is `is_same` then. */
static inline struct hash_slot *hash_slots_find(
	const struct hash_slots *slots, uint32_t hash, hash_is_same *is_same, const void *wanted)
{
	size_t mask = slots->len - 1, at = hash & mask;
	REQUIRES(slots->len > 0);
	for (; slots->at[at].number_plus_1 != 0; at = (at + 1) & mask)
		if (slots->at[at].hash == hash && is_same(wanted, slots->at[at].number_plus_1 - 1))
			break;
	return &slots->at[at];
}

#endif

/* SPDX-License-Identifier: MIT
 * Numbers for distinct things, so that what is known of each lies in an array: a hash table, which finds the number of
 * any item; a dictionary of texts; the ranks that numbers have among each other; and pieces of bytes. */
#ifndef DICTIONARY_H
#define DICTIONARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "check.h"

/* ---- the hash table ---- */

/* The hash table of the command. It finds numbers, from 0 on, of items that its owner has in an array.
 *
 * Hashes depend on a random number of the process: so no file can be made whose texts collide. */

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

/* ---- texts ---- */

/* Distinct texts and a number for each, from 1 on in the order of their first look-ups. */

/* An empty one is zeroed. Invariant: entries[i]->number == i + 1. */
struct dictionary {
	struct hash_slots slots;
	struct dictionary_entry **entries;
	size_t len, cap;
};

struct dictionary_entry {
	uint64_t number;
	bool is_new; /* this look-up was its first */
	char text[];
};

/* Returns the entry of the text, which is added if it is new. The entry is valid until dictionary_fini(). Ends the
 * command without memory. */
const struct dictionary_entry *dictionary_find(struct dictionary *dictionary, const char *text);
void dictionary_fini(struct dictionary *dictionary);

/* ---- ranks of numbers ---- */

/* The distinct numbers among many, and the rank of each in their order: what threads and tasks are looked up by.
 * Sorted, not hashed: a file chooses its numbers, and could choose ones that collide. */

/* An empty one is zeroed. Invariant: len <= cap; len < max, or max is 0 and the numbers ascend, each once. */
struct ranks {
	uint64_t *numbers;
	size_t len, cap;
	size_t max; /* so many, repetitions included, are sorted; 0: ranks_sort() was called behind the last ranks_add()
		     */
};

/* Memory grows with the distinct numbers, not with the calls. Ends the command without memory. */
void ranks_add(struct ranks *ranks, uint64_t number);

/* Once all numbers are added. */
void ranks_sort(struct ranks *ranks);

#define RANKS_NONE SIZE_MAX

/* The number's rank; RANKS_NONE: it was not added. Requires ranks_sort(). */
size_t ranks_find(const struct ranks *ranks, uint64_t number);

void ranks_fini(struct ranks *ranks);

/* ---- distinct pieces of bytes ----
 *
 * They are numbered in the order of their first look-up and kept one behind the other; and records
 * that have such pieces for keys. */

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

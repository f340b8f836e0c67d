/* SPDX-License-Identifier: MIT
 * Distinct texts and a number for each, from 1 on in the order of their first look-ups. */
#ifndef DICTIONARY_H
#define DICTIONARY_H

#include <stdbool.h>
#include <stdint.h>

/* A hash table with open addressing. An empty one is zeroed. Invariants: slot_count is 0 or a power of two; at most
 * three quarters of the slots are not free. */
struct dictionary {
	struct dictionary_slot *slots;
	uint64_t slot_count, len;
};

struct dictionary_slot {
	uint64_t hash;
	struct dictionary_entry *entry; /* NULL: the slot is free */
};

struct dictionary_entry {
	uint64_t number;
	bool is_new; /* this look-up was its first */
	char text[];
};

/* Returns the entry of the text, which is added if it is new. Requires a dictionary that is zeroed at first. The entry
 * is valid until dictionary_fini(). Ends the command without memory. */
const struct dictionary_entry *dictionary_find(struct dictionary *dictionary, const char *text);
void dictionary_fini(struct dictionary *dictionary);

#endif

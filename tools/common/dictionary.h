/* SPDX-License-Identifier: MIT
 * Distinct texts and a number for each, from 1 on in the order of their first look-ups. */
#ifndef DICTIONARY_H
#define DICTIONARY_H

#include <stdbool.h>
#include <stdint.h>

#include "hash.h"

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

#endif
